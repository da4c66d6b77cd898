// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Foundry's cheatcodes that look outside of the EVM.
interface Outside {
    struct FfiResult {
        int32 exitCode;
        bytes stdout;
        bytes stderr;
    }

    struct DirEntry {
        string errorMessage;
        string path;
        uint64 depth;
        bool isDir;
        bool isSymlink;
    }

    struct FsMetadata {
        bool isDir;
        bool isSymlink;
        uint256 length;
        bool readOnly;
        uint256 modified;
        uint256 accessed;
        uint256 created;
    }

    function projectRoot() external view returns (string memory);
    function readFile(string calldata path) external view returns (string memory);
    function readFileBinary(string calldata path) external view returns (bytes memory);
    function readLine(string calldata path) external view returns (string memory);
    function closeFile(string calldata path) external;
    function exists(string calldata path) external view returns (bool);
    function isFile(string calldata path) external view returns (bool);
    function isDir(string calldata path) external view returns (bool);
    function fsMetadata(string calldata path) external view returns (FsMetadata memory);
    function readLink(string calldata path) external view returns (string memory);
    function readDir(string calldata path) external view returns (DirEntry[] memory);
    function readDir(string calldata path, uint64 depth) external view returns (DirEntry[] memory);
    function ffi(string[] calldata command) external returns (bytes memory);
    function tryFfi(string[] calldata command) external returns (FfiResult memory);
}
