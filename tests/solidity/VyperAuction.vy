# SPDX-License-Identifier: Apache-2.0
#pragma version ^0.4.0
"""
@notice Auctions with refunds, raw calls, signed numbers and a copy of itself.
"""

struct Bid:
    bidder: address
    amount: uint256
    score: int128

bids: DynArray[Bid, 10]
highest: Bid
pending: HashMap[address, uint256]
ends: uint256
paid: uint256
lucky: uint256[4]
average: int256
copies: DynArray[address, 5]
initialized: bool


interface Self:
    def echo(data: Bytes[64]) -> Bytes[64]: view


@deploy
def __init__():
    self.ends = block.timestamp + 7 * 86400
    self.initialized = True


@external
@payable
def bid(score: int128):
    assert block.timestamp < self.ends, "over"
    assert msg.value > self.highest.amount, "too low"
    assert len(self.bids) < 10
    if self.highest.bidder != empty(address):
        self.pending[self.highest.bidder] += self.highest.amount
    self.highest = Bid(bidder=msg.sender, amount=msg.value, score=score)
    self.bids.append(self.highest)


@external
@nonreentrant
def withdraw():
    amount: uint256 = self.pending[msg.sender]
    self.pending[msg.sender] = 0
    self.paid += amount
    raw_call(msg.sender, b"", value=amount)


@external
def close():
    assert block.timestamp >= self.ends
    self.ends = block.timestamp + 86400
    self.bids = []
    self.highest = empty(Bid)


@external
def score(a: int128, b: int128) -> int128:
    total: int128 = 0
    for given: Bid in self.bids:
        total += given.score // (a if a != 0 else 1)
    for i: uint256 in range(4):
        self.lucky[i] = self.lucky[(i + 1) % 4] ^ convert(abs(convert(b, int256)), uint256)
    return total + a * b


@external
def mean(x: uint64, y: int256):
    self.average = (convert(x, int256) + y) // 2


@external
@view
def echo(data: Bytes[64]) -> Bytes[64]:
    return data


@external
def try_echo(data: Bytes[64], limit: uint256) -> bool:
    done: bool = False
    answer: Bytes[128] = b""
    done, answer = raw_call(
        self,
        abi_encode(data, method_id=method_id("echo(bytes)")),
        max_outsize=128,
        gas=limit % 20000,
        is_static_call=True,
        revert_on_failure=False,
    )
    if done:
        assert staticcall Self(self).echo(data) == data
    return done


@external
def copy(salt: uint8):
    assert len(self.copies) < 5
    made: address = create_copy_of(self, salt=convert(salt, bytes32))
    self.copies.append(made)
    self.copies.append(create_minimal_proxy_to(made))


@external
@view
def echidna_bids_rise() -> bool:
    last: uint256 = 0
    for given: Bid in self.bids:
        if given.amount <= last:
            return False
        last = given.amount
    return True


@external
@view
def echidna_at_most_two_bids() -> bool:
    return len(self.bids) <= 2
