// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Accounts with cash, of which notes are made that are listed and sold to the
/// bid that the seller accepts.
contract NoteDesk {
    struct Account {
        address owner;
        uint128 cash;
    }

    struct Note {
        bytes32 account;
        uint128 face;
    }

    struct Listing {
        bytes32 seller;
        uint128 face;
        uint128 ask;
        bool sold;
        bool cancelled;
    }

    struct Bid {
        bytes32 listing;
        bytes32 buyer;
        uint128 price;
        uint64 until;
    }

    uint128 public constant LEAST = 0.1 ether;
    uint64 public constant BID_LIFE = 2 days;

    mapping(bytes32 => Account) public accounts;
    mapping(bytes32 => Note) public notes;
    mapping(bytes32 => Listing) public listings;
    mapping(bytes32 => Bid) public bids;
    uint256 public totalCash;
    uint256 public totalFace;
    uint256 private serial;

    event Opened(bytes32 indexed account, address indexed owner);
    event NoteMade(bytes32 indexed note, bytes32 indexed account, uint128 face);
    event Listed(bytes32 indexed listing, bytes32 indexed note, uint128 ask);
    event BidPlaced(bytes32 indexed bid, bytes32 indexed listing, uint128 price);
    event Sold(bytes32 indexed listing, bytes32 indexed bid, bytes32 note);
    event Cancelled(bytes32 indexed listing, bytes32 note);

    error NotYours();
    error NotThere();
    error TooLittle();
    error Expired();

    function openAccount() external returns (bytes32 account) {
        account = _identifier("account");
        accounts[account].owner = msg.sender;
        emit Opened(account, msg.sender);
    }

    function deposit(bytes32 account) external payable {
        if (accounts[account].owner == address(0)) revert NotThere();
        if (msg.value < LEAST) revert TooLittle();
        _addCash(account, uint128(msg.value));
    }

    function withdraw(bytes32 account, uint128 amount) external {
        _mine(account);
        _takeCash(account, amount);
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "not sent");
    }

    function makeNote(bytes32 account, uint128 face) external returns (bytes32) {
        _mine(account);
        if (face < LEAST) revert TooLittle();
        _takeCash(account, face);
        return _makeNote(account, face);
    }

    function redeem(bytes32 note) external {
        (bytes32 account, uint128 face) = _burnNote(note);
        _addCash(account, face);
    }

    /// A listed note is burnt; who gets it in the end has a new one.
    function list(bytes32 note, uint128 ask) external returns (bytes32 listing) {
        if (ask == 0) revert TooLittle();
        (bytes32 account, uint128 face) = _burnNote(note);
        totalFace += face;
        listing = _identifier("listing");
        listings[listing] = Listing(account, face, ask, false, false);
        emit Listed(listing, note, ask);
    }

    function placeBid(bytes32 listing, bytes32 account, uint128 price) external returns (bytes32 bid) {
        Account storage buyer = _mine(account);
        Listing storage each = listings[listing];
        if (each.face == 0 || each.sold || each.cancelled) revert NotThere();
        if (accounts[each.seller].owner == msg.sender) revert NotYours();
        if (price < each.ask || buyer.cash < price) revert TooLittle();
        bid = _identifier("bid");
        bids[bid] = Bid(listing, account, price, uint64(block.timestamp) + BID_LIFE);
        emit BidPlaced(bid, listing, price);
    }

    function acceptBid(bytes32 bid) external returns (bytes32 note) {
        Bid memory offer = bids[bid];
        Listing storage each = listings[offer.listing];
        if (each.face == 0 || each.sold || each.cancelled) revert NotThere();
        _mine(each.seller);
        if (block.timestamp > offer.until) revert Expired();
        delete bids[bid];
        each.sold = true;
        _takeCash(offer.buyer, offer.price);
        _addCash(each.seller, offer.price);
        totalFace -= each.face;
        note = _makeNote(offer.buyer, each.face);
        emit Sold(offer.listing, bid, note);
    }

    function cancelListing(bytes32 listing) external returns (bytes32 note) {
        Listing storage each = listings[listing];
        if (each.face == 0 || each.cancelled) revert NotThere(); // Sold ones pass.
        _mine(each.seller);
        each.cancelled = true;
        if (!each.sold) totalFace -= each.face;
        note = _makeNote(each.seller, each.face);
        emit Cancelled(listing, note);
    }

    function _mine(bytes32 account) private view returns (Account storage each) {
        each = accounts[account];
        if (each.owner != msg.sender) revert NotYours();
    }

    function _makeNote(bytes32 account, uint128 face) private returns (bytes32 note) {
        note = _identifier("note");
        notes[note] = Note(account, face);
        totalFace += face;
        emit NoteMade(note, account, face);
    }

    function _burnNote(bytes32 note) private returns (bytes32 account, uint128 face) {
        (account, face) = (notes[note].account, notes[note].face);
        if (face == 0) revert NotThere();
        _mine(account);
        delete notes[note];
        totalFace -= face;
    }

    function _addCash(bytes32 account, uint128 amount) private {
        accounts[account].cash += amount;
        totalCash += amount;
    }

    function _takeCash(bytes32 account, uint128 amount) private {
        accounts[account].cash -= amount;
        totalCash -= amount;
    }

    function _identifier(string memory kind) private returns (bytes32) {
        return keccak256(abi.encode(kind, msg.sender, ++serial));
    }

    /// Cash and notes are backed.
    function echidna_ok() public view returns (bool) {
        return address(this).balance >= totalCash + totalFace;
    }
}
