"""The state of one EVM: every field of the machine and every row of its tables.

One `Machine` is one world with one message running in it. All of it lies in flat
buffers, so that a snapshot is a number and going back is walking a journal. The machine
of the running frame is kept in plain fields; a call saves them in a row of `frames`.

Rows are dense and never move: a row is named by its byte offset in its buffer, and the
newest row is the first that goes when the journal is undone. Offset 0 of each table is
left unused, so that 0 says "none". Words of 256 bits in rows are little-endian
(`peek256`, `poke256`).
"""

from __future__ import annotations

from collections.abc import Callable

from echidna_mcp.cheatcodes.pranks import Pranks
from echidna_mcp.kernel.language.memory import Bytes, Words, u64, u256
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.state.known_states import KnownStates
from echidna_mcp_plugins.native.state.overriding import Overriding

# ----------------------------------------------------------------------- accounts

ACCOUNT_ADDRESS = 0
"""u256."""
ACCOUNT_BALANCE = 32
"""u256: wei."""
ACCOUNT_NONCE = 64
ACCOUNT_PROGRAM = 72
"""Row of the code in `programs`; 0 if there is none."""
ACCOUNT_STORAGE = 80
"""Number that names the account's storage in the rows of `slots`."""
ACCOUNT_WARM = 88
"""Number of the message that accessed it last (EIP-2929)."""
ACCOUNT_CREATED = 96
"""Number of the message that created it (EIP-6780)."""
ACCOUNT_DOOMED = 104
"""Number of the message at whose end it is deleted."""
ACCOUNT_SEEDED = 112
"""1 if storage was given to it from outside (EIP-7610)."""
ACCOUNT_ROW = 128

# ------------------------------------------------------------------------ storage

SLOT_KEY = 0
"""u256."""
SLOT_VALUE = 32
"""u256."""
SLOT_ORIGINAL = 64
"""u256: the value before message `SLOT_SAVED` (EIP-2200)."""
SLOT_STORAGE = 96
"""`ACCOUNT_STORAGE` of its account; transient storage sets bit 63 (EIP-1153)."""
SLOT_WARM = 104
"""Number of the message that accessed it last (EIP-2929)."""
SLOT_SAVED = 112
"""Number of the message to which `SLOT_ORIGINAL`, or a transient value, belongs."""
SLOT_STAMP = 120
"""`Machine.stamp` when the value changed last, be it by going back."""
SLOT_ROW = 128

TRANSIENT = 1 << 63

CHANGED_WORDS = 4
"""u64 of `Machine.changed`."""

# ------------------------------------------------------------------------ journal

JOURNAL_KIND = 0
JOURNAL_AT = 8
"""Byte offset in the buffer that the kind names."""
JOURNAL_OLD = 16
"""u64 or u256: what stood there."""
JOURNAL_ROW = 48

UNDO_ACCOUNT_WORD = 1
UNDO_ACCOUNT_WIDE = 2
UNDO_SLOT_WORD = 3
UNDO_SLOT_WIDE = 4
UNDO_NEW_ACCOUNT = 5
"""Remove the newest row of `accounts`."""
UNDO_NEW_SLOT = 6
"""Remove the newest row of `slots`."""
UNDO_NOTHING = 7
"""Tells of a change that frames leave behind: see `lasting`."""

# ----------------------------------------------------------------------- programs

PROGRAM_FINGERPRINT = 0
"""u64: a quick hash of the code; equal codes share one row."""
PROGRAM_CODE = 8
"""Where the code begins in `code`."""
PROGRAM_SIZE = 16
PROGRAM_STREAM = 24
"""Index of the first word of its stream in `stream`; 0 until it is decoded."""
PROGRAM_BLOCKS = 32
"""Where its blocks begin in `blocks`; in order of their program counters."""
PROGRAM_BLOCK_COUNT = 40
PROGRAM_FAMILY = 48
"""Number of the code's name, from 1, that all copies of a code share; 0 for none."""
PROGRAM_HASHED = 56
"""1 if `PROGRAM_HASH` holds the code hash."""
PROGRAM_HASH = 64
"""u256: keccak-256 of the code as a number."""
PROGRAM_ROW = 96

BLOCK_START = 0
"""Program counter of the first instruction."""
BLOCK_ENTERED = 8
"""How often it was entered, by itself; compiled code enters many at once."""
BLOCK_LAST = 16
"""Program counter of the last instruction."""
BLOCK_PROGRAM = 24
"""Row of its program."""
BLOCK_EPOCH = 32
"""`Machine.epoch` of the message that entered it last with coverage on."""
BLOCK_DEPTHS = 40
"""A bit for each call depth, 0 to 63, at which message `BLOCK_EPOCH` entered it."""
BLOCK_KNOWN = 48
"""A bit for each call depth at which the campaign knows it."""
BLOCK_ENDINGS = 56
"""A bit for each `Status` with which a message ended here, as far as is known."""
BLOCK_ROW = 64

# ----------------------------------------------------------------- logs and frames

LOG_ADDRESS = 0
"""u256."""
LOG_TOPICS = 32
"""Number of topics."""
LOG_SIZE = 40
"""Bytes of data."""
LOG_DROPPED = 48
"""1 if the frame was reverted."""
LOG_TOPIC = 64
"""Four u256."""
LOG_DATA = 192
"""The data, padded to whole words."""

FRAME_ROW = 320
"""What `frames` saves of a frame that waits for a call; see `frames`."""

# ------------------------------------------------------------------------- faults

FAULT_NONE = 0
FAULT_GAS = 1
"""OUT_OF_GAS."""
FAULT_INVALID = 2
"""INVALID_OPCODE."""
FAULT_HALT = 3
"""Any other exceptional halt."""
FAULT_REVERT = 4
"""REVERT: not a fault of the machine, but frames end with it in the same way."""
FAULT_CAPACITY = 5
"""A buffer of the machine is full: the whole message is given up, and reported."""

FULL_ACCOUNTS = 1
FULL_SLOTS = 2
FULL_JOURNAL = 3
FULL_MEMORY = 4
FULL_LOGS = 5
FULL_PROGRAMS = 6
"""No room for further code, or for what it is decoded to."""
FULL_TOUCHED = 7
FULL_EDGES = 8

HOOK_PRANKS = 1
"""Bits of `Machine.hooks`: those of `cheatcodes.cheats.Hook`."""
HOOK_CALLS = 2
HOOK_ENDS = 4
HOOK_LOGS = 8
HOOK_STORAGE = 16
HOOK_PRICE = 32
HOOK_HASHES = 64
HOOK_OVERRIDE = 1 << 32
"""The message has an override."""
HOOK_REVERTS = 1 << 33
"""Who reverts first is to be told."""
OWN_HOOKS = HOOK_OVERRIDE | HOOK_REVERTS
"""None of the cheatcodes' hooks: they are of one message."""
NOBODY = (1 << 256) - 1

WATCHED = 1
"""Bits of `Machine.watching`."""
RECORDED = 2

ASSERTION_LOGGED = 1
"""Bits of `Machine.assertion`: a log was emitted whose first topic stands in
`assertion_topics`; a cheatcode may have told of a failed assertion."""
ASSERTION_TOLD = 2

CHEATS_ROW = ACCOUNT_ROW
"""Rows of `accounts`, the first two: of the cheatcodes and of the console. In a world
without them their addresses are none that can be called."""
CONSOLE_ROW = 2 * ACCOUNT_ROW

ASK_CHEAT = 1 << 16
"""What `host` is asked beside precompiles: to do what the calldata of a call say, at
`asked_start` and `asked_size`; it returns `ANSWERED`, with `told_ok` and `returned`, or
`CREATES`, with creation code in `returned`."""
ASK_CALL = ASK_CHEAT + 1
"""A call begins: `ANSWERED`, `REPLACED` by the code of `told_row`, or 0."""
ASK_ENDED = ASK_CHEAT + 2
"""A call, creation or message has ended: `ANSWERED` if it ends otherwise, else 0."""
ASK_LOG = ASK_CHEAT + 3
"""The frame that runs has emitted the log `told_row`: 1 if it must revert."""
ASK_READ = ASK_CHEAT + 4
"""It has read slot `told_value`."""
ASK_WRITTEN = ASK_CHEAT + 5
ASK_SAVE = ASK_CHEAT + 6
"""Keep what is no part of the journal, as number `asked_start`."""
ASK_RESTORE = ASK_CHEAT + 7
ASK_HASHED = ASK_CHEAT + 8
"""The frame that runs has hashed two words, at `asked_start`, to `told_value`."""
ASK_BLOCK_HASH = ASK_CHEAT + 9
"""What BLOCKHASH gives for block `told_code` if not `told_value`, which changes."""
ASK_BLOB_HASH = ASK_CHEAT + 10
"""The same of BLOBHASH."""

ANSWERED = 1
CREATES = 2
REPLACED = 3

COVER_BLOCKS = 1
COVER_EDGES = 2
"""Both: `Machine.coverage`."""

DEPTH_LIMIT = 1024
"""Deepest frame below the first one (Yellow Paper, section 9.4.2)."""
TRACED_DEPTHS = 64
STACK_LIMIT = 1024


@record
class Machine:
    """One EVM world and the message that runs in it.

    Offsets and sizes are in bytes unless said otherwise; a *row* is a byte offset into
    the table that is named.
    """

    # The frame that runs.
    gas: u64
    fault: u64
    """One of `FAULT_*`; checked after each opcode that can fail."""
    full: u64
    """One of `FULL_*` from the moment when a buffer was full, whatever `fault` says
    later in the message; else 0."""
    steps: u64
    """Instructions of all blocks that the message has entered."""
    static: u64  # 1 if state must not change (EIP-214).
    depth: u64
    depth_bit: u64
    """The frame's bit in `BLOCK_DEPTHS`; 0 if it is too deep or coverage is off."""
    quiet_bit: u64
    """The same bit while searching, else 0: blocks that are known at the depth of this
    bit are not collected."""
    epoch: u64
    """Number of the message for coverage."""
    last_block: u64
    """Row of the block that was entered last, in whatever frame; 0 for none."""
    stack_base: u64  # Where the frame's first stack slot begins in `stack`.
    stack_top: u64
    """End of the frame's top stack slot; true while no handler runs."""
    resume: u64  # Index in `stream` of the word at which execution goes on.
    memory_base: u64  # Where the frame's memory begins in `memory`.
    memory_size: u64
    """Bytes of it that are in use, a multiple of 32."""
    input_start: u64
    """Where the calldata begins in `memory`."""
    input_size: u64
    program: u64  # Row of the code that runs.
    code_start: u64  # Where that code begins in `code`.
    code_size: u64
    account: u64
    """Row of the account whose storage and balance are meant."""
    checkpoint: u64  # End of the journal when the frame began.
    log_mark: u64  # End of the logs when the frame began.
    refund_mark: u64  # The refund counter when the frame began.
    creates: u64
    """Not 0 if the frame runs creation code: its output becomes code. See `frames`."""
    output_start: u64  # Where the output of the frame that ended begins in `memory`.
    output_size: u64
    return_to: u64
    """Where in `memory` the waiting caller wants the output."""
    return_room: u64  # How many bytes of it.
    address: u256
    caller: u256
    value: u256

    # The message.
    number: u64
    """Number of the message, never used twice, for warmth and the like."""
    refund: u64
    """Refund counter, modulo 2^64 (it goes below zero for a while)."""
    message_gas: u64
    """Gas that the message was given, intrinsic gas included."""
    surcharge: u64  # Intrinsic gas for access list and authorizations.
    floor: u64  # The least gas that the message uses (EIP-7623).
    gas_used: u64
    """Result: gas after refunds, intrinsic gas included."""
    returned_size: u64
    """Bytes in `returned`: the return data of the last call (EIP-211)."""
    log_end: u64
    """End of the logs in `logs`."""
    doomed: u64
    """Accounts that were marked for deletion, reverted ones included."""
    assertion: u64
    """Bits `ASSERTION_*`."""
    coverage: u64
    """One of `COVER_*` if what is visited is collected, else 0."""
    searching: u64
    """1 if only blocks are collected that are not known yet."""
    novel: u64
    """1 if the message has shown something that is not known; see `states`."""
    refused: u64
    """1 if a cheatcode was called that does not work."""
    touched_count: u64
    """Entries in `touched`."""
    comparing: u64
    """1 if comparisons are logged."""
    comparison_count: u64
    """Comparisons that the message has made; the last ones are in `comparisons`."""
    creation_count: u64
    """Contracts that the message has begun to create, in whatever frame."""
    asked_start: u64
    """Where the input of the precompile that `host` is asked for begins in `memory`."""
    asked_size: u64
    asked_gas: u64
    """Gas that it may use; `host` leaves what is left of it."""
    created: u256
    """Result: address of the contract that the message creates."""
    origin: u256
    gas_price: u256

    # Block and chain.
    fork: u64
    """A `Fork`."""
    max_code_size: u64
    timestamp: u64
    block_number: u64
    gas_limit: u64
    chain_id: u64
    coinbase: u256
    base_fee: u256
    prev_randao: u256
    blob_base_fee: u256

    # Tables and arenas, and how far they are in use.
    account_end: u64
    slot_end: u64
    journal_end: u64
    program_end: u64
    code_end: u64
    stream_end: u64
    block_end: u64
    account_limit: u64
    """How far each may be in use; see `capacity`."""
    slot_limit: u64
    journal_limit: u64
    program_limit: u64
    code_limit: u64
    stream_limit: u64
    block_limit: u64
    memory_limit: u64
    log_limit: u64
    touched_limit: u64
    account_index_mask: u64
    """Entries of the hash table that are in use, less 1."""
    slot_index_mask: u64
    program_index_mask: u64
    kept_program_end: u64
    """What `programs.forget_programs` goes back to: see `programs.keep_programs`."""
    kept_code_end: u64
    kept_stream_end: u64
    kept_block_end: u64
    forgotten: u64
    """How many times programs were forgotten: rows from before may be others' now."""
    storages: u64
    """Storage numbers that have been given out."""
    stamp: u64
    """Counts changes of storage words, undone ones too; never goes back."""
    accounts: Bytes
    account_index: Bytes
    """Hash table of u32: number of a row of `accounts`, 0 for free; see `index`."""
    slots: Bytes
    slot_index: Bytes
    journal: Bytes
    frames: Bytes
    stack: Bytes
    memory: Bytes
    """Calldata of the message, then the memories of all frames, one after the other."""
    returned: Bytes
    """Return data, `returned_size` bytes of it; as large as `memory`."""
    logs: Bytes
    programs: Bytes
    program_index: Bytes
    code: Bytes
    stream: Words
    jumps: Bytes
    """u32 for each byte of `code`: index in `stream` of a JUMPDEST's block, or 0."""
    blocks: Bytes
    touched: Words
    """Row plus call depth of blocks entered with coverage on, by their first time."""
    comparisons: Bytes
    """A ring of rows: `fuzz.climbing.comparisons`."""
    assertion_topics: Bytes
    """u256 each."""
    assertion_topic_count: u64
    blob_hashes: Bytes
    blob_hash_count: u64
    keccak_memo: Bytes
    handlers: Words
    """What stands for a token in `stream`: an address of native code, or its number."""
    instructions: Words
    """What the decoder knows of each of the 256 opcodes; see `isa`."""
    fusions: Words
    """The trie of superinstructions; see `decode`."""
    host: Callable[[u64], u64]
    """Asks Python to run a precompile; returns a `FAULT_*`; see `precompiles`."""

    # What `readset` asks for. It stands last because new fields in front of the tables
    # were measured to slow down code that calls a lot.
    account_stamp: u64
    """Like `stamp`, for balances, nonces, code, and `ACCOUNT_STORAGE`."""
    slots_added: u64
    """Counts rows that were added to `slots`; never goes back."""
    clock_read: u64
    """Set to 1 when a message reads something that depends on the block."""
    undone: u64
    """Set to 1 when something that was journaled is undone."""

    # Edges; see `edges`.
    following: u64
    """0 if edges are not collected; else the bit of those that are not told:
    `KNOWN_EDGE` or, which none has, `EVERY_EDGE`."""
    followed: u64
    """Row of the block that was entered last, plus call depth; 0 for none. Kept while
    edges are collected."""
    edge_count: u64
    edge_mask: u64
    """Entries of `edges` that are in use, less 1."""
    edge_limit: u64
    """In words."""
    edges: Words
    taken: Words
    """Keys of the edges that the message is to tell, by their first time."""
    taken_count: u64

    watching: u64
    """`WATCHED` if accesses of storage are collected, in `accesses`; see there.
    `RECORDED` if cheatcodes want to hear of them."""
    accesses: Bytes

    # What follows from `fork`; see `rules`.
    rules: u64
    last_precompile: u64
    history: u64
    """Row of the account that serves hashes of blocks, see `history`; 0 for none."""

    # Cheatcodes; see `cheats`.
    hooks: u64
    """What frames have to tell: bits of `HOOK_*`."""
    pranks: Pranks
    cheated: u64
    """Counts changes of what cheatcodes remember, and of pranks; never goes back."""
    env_stamp: u64
    """The same of block and chain, the clock not counted."""
    forced_price: u256
    """Gas price of all messages, with `HOOK_PRICE`."""
    told_depth: u64
    """What is told: the depth of the frame that calls, counted from 1."""
    told_kind: u64  # One of `calls.CALL` and its kin.
    told_address: u256
    told_sender: u256  # In whose name the call is made.
    told_payer: u64  # Row of the account that pays for it.
    told_code: u256
    told_value: u256
    told_static: u64
    told_creates: u64
    told_ok: u64  # Whether the call succeeded; `host` may change it, and `returned`.
    told_row: u64
    """Row that is told: of a log, or of the account whose code is to run instead."""
    told_halted: u64
    """1 if it failed otherwise than by REVERT or before it began."""
    lasting: u64
    """Number of the last message in which cheatcodes have set what lasts; see there."""

    override: Overriding
    """What replaces a call of the message, with `HOOK_OVERRIDE`."""
    reverter: u256
    """In whose name the first call that reverted ran (`HOOK_REVERTS`), or `NOBODY`."""
    changed: Words
    """Which words of storage have another value than when it was cleared, be it by
    going back: `CHANGED_WORDS` of bits, a word's is `journal.bit_of`."""
    states: KnownStates
    trailing: u64  # 1 if the message is to tell its trail.
    trail_count: u64  # Blocks it has entered while `trailing`, known ones as well.
    trail: Words
    """The last `MOST_TRAIL` of them, as `followed` has them, from 0 on again."""
