# SPDX-License-Identifier: Apache-2.0
#pragma version ^0.4.0
"""
@notice An ERC-20 with minters, snapshots and a fee.
"""

event Transfer:
    sender: indexed(address)
    receiver: indexed(address)
    amount: uint256

struct Snapshot:
    time: uint256
    supply: uint256

flag Role:
    MINTER
    PAUSER

FEE: constant(uint256) = 3
OWNER: immutable(address)

balanceOf: public(HashMap[address, uint256])
allowance: public(HashMap[address, HashMap[address, uint256]])
totalSupply: public(uint256)
collected: uint256
roles: HashMap[address, Role]
snapshots: DynArray[Snapshot, 8]
paused: bool
name: public(String[32])


@deploy
def __init__():
    OWNER = msg.sender
    self.name = "Vyper Token"
    self.roles[msg.sender] = Role.MINTER | Role.PAUSER
    self._mint(empty(address), 0)
    self._mint(msg.sender, 10 ** 9)


@internal
def _mint(receiver: address, amount: uint256):
    self.totalSupply += amount
    self.balanceOf[receiver] += amount
    log Transfer(sender=empty(address), receiver=receiver, amount=amount)


@internal
def _move(sender: address, receiver: address, amount: uint256):
    fee: uint256 = amount * FEE // 1000
    self.balanceOf[sender] -= amount
    self.balanceOf[receiver] += amount - fee
    self.balanceOf[OWNER] += fee
    self.collected += fee
    log Transfer(sender=sender, receiver=receiver, amount=amount)


@external
def transfer(receiver: address, amount: uint256 = 10) -> bool:
    assert not self.paused, "paused"
    self._move(msg.sender, receiver, amount)
    return True


@external
def approve(spender: address, amount: uint256) -> bool:
    self.allowance[msg.sender][spender] = amount
    return True


@external
def transferFrom(sender: address, receiver: address, amount: uint256) -> bool:
    self.allowance[sender][msg.sender] -= amount
    self._move(sender, receiver, amount)
    return True


@external
def mint(amount: uint128):
    assert Role.MINTER in self.roles[msg.sender], "not a minter"
    self._mint(msg.sender, convert(amount, uint256))


@external
def grant(who: address, pauser: bool):
    assert msg.sender == OWNER
    if pauser:
        self.roles[who] |= Role.PAUSER
    else:
        self.roles[who] = self.roles[who] ^ Role.MINTER


@external
def pause(state: bool):
    assert Role.PAUSER in self.roles[msg.sender]
    self.paused = state


@external
def snapshot() -> uint256:
    if len(self.snapshots) == 8:
        self.snapshots.pop()
    self.snapshots.append(Snapshot(time=block.timestamp, supply=self.totalSupply))
    return len(self.snapshots)


@external
def rename(text: String[24], prefix: Bytes[4]):
    assert len(text) > 2
    self.name = slice(concat(text, "-", "token"), 0, len(text))
    assert keccak256(prefix) != keccak256(b"evil")


@external
@payable
def __default__():
    self._mint(msg.sender, msg.value // 10 ** 15)


@external
@view
def echidna_snapshots_never_shrink() -> bool:
    last: uint256 = 0
    for taken: Snapshot in self.snapshots:
        if taken.supply < last:
            return False
        last = taken.supply
    return True


@external
@view
def echidna_owner_collects_little() -> bool:
    return self.collected < 10 ** 6
