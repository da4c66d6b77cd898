// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Twelve offices with ten tariffs each. One of them takes two of its own numbers for the
/// password, which it knows by hash alone.
contract Tariffs {
    bytes32 private constant PASSWORD =
        0x7487c71a6e12e8af0044892b72f34ec54e969571c8e5509eca3ecf53b215bd04;

    uint256 public due;
    bool private lost;

    function letters(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 654159) due = weight * 2;
        else if (zone == 268853) due = weight * 3;
        else if (zone == 778820) due = weight * 4;
        else if (zone == 376951) due = weight * 5;
        else if (zone == 834820) due = weight * 6;
        else if (zone == 724985) due = weight * 7;
        else if (zone == 989230) due = weight * 8;
        else if (zone == 883388) due = weight * 9;
        else if (zone == 776839) due = weight * 10;
        else if (zone == 684704) due = weight * 11;
    }

    function parcels(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 968127) due = weight * 2;
        else if (zone == 556787) due = weight * 3;
        else if (zone == 31414) due = weight * 4;
        else if (zone == 882168) due = weight * 5;
        else if (zone == 489240) due = weight * 6;
        else if (zone == 814651) due = weight * 7;
        else if (zone == 990181) due = weight * 8;
        else if (zone == 262150) due = weight * 9;
        else if (zone == 681499) due = weight * 10;
        else if (zone == 55372) due = weight * 11;
    }

    function papers(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 945662) due = weight * 2;
        else if (zone == 165470) due = weight * 3;
        else if (zone == 119705) due = weight * 4;
        else if (zone == 390853) due = weight * 5;
        else if (zone == 492854) due = weight * 6;
        else if (zone == 911631) due = weight * 7;
        else if (zone == 259550) due = weight * 8;
        else if (zone == 400253) due = weight * 9;
        else if (zone == 571174) due = weight * 10;
        else if (zone == 107927) due = weight * 11;
    }

    function stamps(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 602820) due = weight * 2;
        else if (zone == 262442) due = weight * 3;
        else if (zone == 14751) due = weight * 4;
        else if (zone == 767701) due = weight * 5;
        else if (zone == 228257) due = weight * 6;
        else if (zone == 428977) due = weight * 7;
        else if (zone == 294058) due = weight * 8;
        else if (zone == 191920) due = weight * 9;
        else if (zone == 961857) due = weight * 10;
        else if (zone == 910596) due = weight * 11;
    }

    function baskets(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 803921) due = weight * 2;
        else if (zone == 409354) due = weight * 3;
        else if (zone == 168357) due = weight * 4;
        else if (zone == 799936) due = weight * 5;
        else if (zone == 836869) due = weight * 6;
        else if (zone == 76425) due = weight * 7;
        else if (zone == 146508) due = weight * 8;
        else if (zone == 648942) due = weight * 9;
        else if (zone == 648445) due = weight * 10;
        else if (zone == 467444) due = weight * 11;
    }

    function barrels(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 133853) due = weight * 2;
        else if (zone == 139664) due = weight * 3;
        else if (zone == 2861) due = weight * 4;
        else if (zone == 914734) due = weight * 5;
        else if (zone == 6571) due = weight * 6;
        else if (zone == 220630) due = weight * 7;
        else if (zone == 812171) due = weight * 8;
        else if (zone == 226948) due = weight * 9;
        else if (zone == 174913) due = weight * 10;
        else if (zone == 915785) due = weight * 11;
    }

    function horses(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 175571) due = weight * 2;
        else if (zone == 304358) due = weight * 3;
        else if (zone == 329887) due = weight * 4;
        else if (zone == 209550) due = weight * 5;
        else if (zone == 566416) due = weight * 6;
        else if (zone == 919677) due = weight * 7;
        else if (zone == 711756) due = weight * 8;
        else if (zone == 657125) due = weight * 9;
        else if (zone == 215726) due = weight * 10;
        else if (zone == 191493) due = weight * 11;
    }

    function coaches(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 987684) due = weight * 2;
        else if (zone == 725190) due = weight * 3;
        else if (zone == 207442) due = weight * 4;
        else if (zone == 938156) due = weight * 5;
        else if (zone == 402838) due = weight * 6;
        else if (zone == 314302) due = weight * 7;
        else if (zone == 23618) due = weight * 8;
        else if (zone == 379735) due = weight * 9;
        else if (zone == 436061) due = weight * 10;
        else if (zone == 175017) due = weight * 11;
        if (keccak256(abi.encode(zone, weight)) == PASSWORD) lost = true;
    }

    function boats(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 982249) due = weight * 2;
        else if (zone == 153779) due = weight * 3;
        else if (zone == 277626) due = weight * 4;
        else if (zone == 69303) due = weight * 5;
        else if (zone == 348974) due = weight * 6;
        else if (zone == 316997) due = weight * 7;
        else if (zone == 858106) due = weight * 8;
        else if (zone == 633406) due = weight * 9;
        else if (zone == 615613) due = weight * 10;
        else if (zone == 4547) due = weight * 11;
    }

    function sledges(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 625929) due = weight * 2;
        else if (zone == 711865) due = weight * 3;
        else if (zone == 743052) due = weight * 4;
        else if (zone == 355310) due = weight * 5;
        else if (zone == 70229) due = weight * 6;
        else if (zone == 326014) due = weight * 7;
        else if (zone == 373612) due = weight * 8;
        else if (zone == 859278) due = weight * 9;
        else if (zone == 321931) due = weight * 10;
        else if (zone == 505097) due = weight * 11;
    }

    function mules(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 731249) due = weight * 2;
        else if (zone == 332133) due = weight * 3;
        else if (zone == 194748) due = weight * 4;
        else if (zone == 505594) due = weight * 5;
        else if (zone == 496492) due = weight * 6;
        else if (zone == 739899) due = weight * 7;
        else if (zone == 185675) due = weight * 8;
        else if (zone == 60769) due = weight * 9;
        else if (zone == 269626) due = weight * 10;
        else if (zone == 985625) due = weight * 11;
    }

    function pigeons(uint256 zone, uint256 weight) external {
        require(weight < 1 << 128);
        if (zone == 24976) due = weight * 2;
        else if (zone == 996329) due = weight * 3;
        else if (zone == 787217) due = weight * 4;
        else if (zone == 376016) due = weight * 5;
        else if (zone == 886921) due = weight * 6;
        else if (zone == 424933) due = weight * 7;
        else if (zone == 19945) due = weight * 8;
        else if (zone == 576737) due = weight * 9;
        else if (zone == 827003) due = weight * 10;
        else if (zone == 440172) due = weight * 11;
    }

    function echidna_nothing_is_lost() external view returns (bool) {
        return !lost;
    }
}
