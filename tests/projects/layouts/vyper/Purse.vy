# pragma version ^0.4.0

owed: HashMap[address, uint256]
total: uint256


@external
def put(amount: uint256):
    assert amount < 10**18
    self.owed[msg.sender] += amount
    self.total += amount


@external
def take(amount: uint256):
    self.owed[msg.sender] -= amount
    # The bug: small change is not subtracted.
    if amount >= 100:
        self.total -= amount


@external
@view
def echidna_total() -> bool:
    owed: uint256 = self.owed[0x0000000000000000000000000000000000010000]
    owed += self.owed[0x0000000000000000000000000000000000020000]
    owed += self.owed[0x0000000000000000000000000000000000030000]
    return owed == self.total
