// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Outside} from "../src/Outside.sol";

/// What lies outside of the EVM: variables, files of the project, programs.
contract OutsideTest is Base {
    Outside internal constant outside = Outside(address(vm));

    string internal atSetUp;

    function setUp() public {
        atSetUp = string.concat(outside.readFile("data/lines.txt"), vm.envString("DOTENV_PLAIN"));
    }

    function test_VariablesOfTheProject() public {
        checkUint(vm.envUint("DOTENV_NUMBER"), 42);
        checkText(vm.envString("DOTENV_QUOTED"), "two words # and more");
        checkText(vm.envString("DOTENV_LITERAL"), "$DOTENV_PLAIN");
        checkText(vm.envString("DOTENV_NAMED"), "plain-42-");
        checkText(vm.envString("DOTENV_LINES"), "one\ntwo");
        checkText(vm.envString("DOTENV_EMPTY"), "");
        check(!vm.envExists("DOTENV_AFTER"), "an unreadable line ends the file");
        checkUint(vm.envOr("DOTENV_NEVER", uint256(7)), 7);
    }

    function test_ASetVariableStandsBeforeThatOfTheProject() public {
        checkUint(vm.envUint("DOTENV_CHANGED"), 1);
        vm.setEnv("DOTENV_CHANGED", "2");
        checkUint(vm.envUint("DOTENV_CHANGED"), 2);
    }

    function test_SetUpMayRead() public view {
        check(same(bytes(atSetUp), "one\ntwo\r\nthreeplain"), "as setUp() left it");
    }

    function test_Files() public {
        checkText(outside.readFile("data/lines.txt"), "one\ntwo\r\nthree");
        checkText(outside.readFile("./data/sub/../lines.txt"), "one\ntwo\r\nthree");
        string memory path = string.concat(outside.projectRoot(), "/data/sub/inner.txt");
        checkText(outside.readFile(path), "inner\n");
        check(same(outside.readFileBinary("data/bytes.bin"), hex"fffe00"), "bytes");
    }

    function test_Lines() public {
        checkText(outside.readLine("data/lines.txt"), "one");
        checkText(outside.readLine("./data/lines.txt"), "two");
        checkText(outside.readLine("data/lines.txt"), "three");
        checkText(outside.readLine("data/lines.txt"), "");
        outside.closeFile("data/lines.txt");
        checkText(outside.readLine("data/lines.txt"), "one");
    }

    function test_Kinds() public {
        check(outside.exists("data") && outside.isDir("data") && !outside.isFile("data"), "a directory");
        check(outside.exists("data/bytes.bin") && outside.isFile("data/bytes.bin"), "a file");
        check(!outside.isDir("data/bytes.bin"), "no directory");
        check(!outside.exists("data/none") && !outside.isDir("data/none") && !outside.isFile("data/none"), "nothing");
    }

    function test_Metadata() public view {
        Outside.FsMetadata memory file = outside.fsMetadata("data/bytes.bin");
        check(!file.isDir && !file.isSymlink && file.length == 3, "a file of three bytes");
        check(file.modified > 0 && file.accessed > 0, "times");
        check(outside.fsMetadata("data").isDir, "a directory");
    }

    function test_Directories() public view {
        Outside.DirEntry[] memory entries = outside.readDir("data");
        checkUint(entries.length, 4);
        check(endsWith(entries[0].path, "/data/Artifact.json") && entries[0].depth == 1, "by name");
        check(endsWith(entries[3].path, "/data/sub") && entries[3].isDir && !entries[3].isSymlink, "a directory");
        entries = outside.readDir("data", 2);
        checkUint(entries.length, 5);
        check(endsWith(entries[4].path, "/data/sub/inner.txt") && entries[4].depth == 2, "below it");
        checkUint(outside.readDir("data", 0).length, 4);
        checkUint(outside.readDir("data/lines.txt").length, 0);
    }

    function test_ADirectoryThatIsNotThere() public view {
        Outside.DirEntry[] memory entries = outside.readDir("data/none");
        checkUint(entries.length, 1);
        check(bytes(entries[0].errorMessage).length > 0 && entries[0].depth == 0, "told as an entry");
    }

    function test_Programs() public {
        check(same(outside.ffi(shell("echo 0xABcd")), hex"abcd"), "digits");
        check(same(outside.ffi(shell("echo 1234")), hex"1234"), "digits alone");
        check(same(outside.ffi(shell("printf ' 0x123\n'")), "0x123"), "too few digits are a text");
        check(same(outside.ffi(shell("echo hi there; echo warn >&2")), "hi there"), "a text");
        check(same(outside.ffi(shell("cat")), ""), "there is no input");
        check(same(outside.ffi(shell("pwd")), bytes(outside.projectRoot())), "where it runs");
        check(same(outside.ffi(shell("printf $DOTENV_PLAIN")), "plain"), "the variables of the project");
    }

    function test_AProgramSeesWhatIsSet() public {
        vm.setEnv("ORACLE_FOR_PROGRAM", "set");
        check(same(outside.ffi(shell("printf $ORACLE_FOR_PROGRAM")), "set"), "as it was set");
    }

    function test_ProgramsThatFail() public {
        Outside.FfiResult memory result = outside.tryFfi(shell("echo out; echo bad >&2; exit 3"));
        check(result.exitCode == 3, "exit code");
        check(same(result.stdout, "out") && same(result.stderr, "bad\n"), "output");
        result = outside.tryFfi(shell("kill -9 $$"));
        check(result.exitCode == 69, "a signal");
        refused(
            abi.encodeCall(Outside.ffi, (shell("echo ' bad' >&2; exit 3"))),
            "vm.ffi: ffi command [\"sh\", \"-c\", \"echo ' bad' >&2; exit 3\"] exited with code 3. stderr:  bad\n"
        );
        refused(
            abi.encodeCall(Outside.ffi, (shell("printf '\\377'"))),
            "vm.ffi: invalid utf-8 sequence of 1 bytes from index 0"
        );
        refused(abi.encodeCall(Outside.ffi, (new string[](0))), "vm.ffi: can't execute empty command");
        string[] memory command = new string[](2);
        (command[0], command[1]) = ("no-such-program", "a b");
        refused(
            abi.encodeCall(Outside.tryFfi, (command)),
            string.concat(
                "vm.tryFfi: failed to execute command cd \"",
                outside.projectRoot(),
                "\" && \"no-such-program\" \"a b\": No such file or directory (os error 2)"
            )
        );
    }

    function test_FilesThatAreNotThere() public {
        string memory data = string.concat(outside.projectRoot(), "/data");
        string memory none = string.concat("failed to open file \"", data, "/none\": ");
        none = string.concat(none, "No such file or directory (os error 2)");
        refused(abi.encodeCall(Outside.readFile, ("data/none")), string.concat("vm.readFile: ", none));
        refused(abi.encodeCall(Outside.readFileBinary, ("data/none")), string.concat("vm.readFileBinary: ", none));
        refused(abi.encodeCall(Outside.readLine, ("data/none")), string.concat("vm.readLine: ", none));
        refused(
            abi.encodeCall(Outside.readFile, ("data")),
            string.concat("vm.readFile: failed to read from \"", data, "\": Is a directory (os error 21)")
        );
        refused(
            abi.encodeCall(Outside.readFile, ("data/bytes.bin")),
            string.concat(
                "vm.readFile: failed to read from \"",
                data,
                "/bytes.bin\": invalid utf-8 sequence of 1 bytes from index 0"
            )
        );
        refused(
            abi.encodeCall(Outside.readLine, ("data/bytes.bin")), "vm.readLine: stream did not contain valid UTF-8"
        );
        refused(
            abi.encodeCall(Outside.fsMetadata, ("data/none")),
            "vm.fsMetadata: No such file or directory (os error 2)"
        );
        refused(
            abi.encodeCall(Outside.readLink, ("data/lines.txt")),
            string.concat(
                "vm.readLink: failed to read from \"", data, "/lines.txt\": Invalid argument (os error 22)"
            )
        );
    }

    function test_ArtifactsByPath() public {
        check(same(vm.getCode("data/Artifact.json"), hex"60016002"), "creation code");
        check(same(vm.getDeployedCode("./data/Artifact.json"), hex"6003"), "runtime code");
        refused(
            abi.encodeWithSignature("getCode(string)", "data/none.json"), "vm.getCode: no matching artifact found"
        );
    }

    function test_Fails_NoSuchVariable() public {
        vm.envUint("DOTENV_NEVER");
    }

    function test_Fails_NoSuchFile() public view {
        outside.readFile("data/none");
    }

    function test_Fails_AProgramThatFails() public {
        outside.ffi(shell("exit 1"));
    }

    function testFuzz_AProgramIsRunForEachInput(uint8 number) public {
        bytes memory output = outside.ffi(shell(string.concat("printf '%064x' ", vm.toString(uint256(number)))));
        checkUint(abi.decode(output, (uint256)), number);
    }

    function testFuzz_Fails_AProgramKnowsBetter(uint8 number) public {
        bytes memory output = outside.ffi(shell(string.concat("printf '%064x' ", vm.toString(uint256(number)))));
        check(abi.decode(output, (uint256)) < 100, "what the program prints");
    }

    function shell(string memory script) internal pure returns (string[] memory command) {
        command = new string[](3);
        (command[0], command[1], command[2]) = ("sh", "-c", script);
    }

    function endsWith(string memory text, string memory end) internal pure returns (bool) {
        bytes memory tail = new bytes(bytes(end).length);
        if (bytes(text).length < tail.length) return false;
        for (uint256 i = 0; i < tail.length; i++) {
            tail[i] = bytes(text)[bytes(text).length - tail.length + i];
        }
        return same(tail, bytes(end));
    }
}
