// Reads questions, one JSON object a line, and writes the answers of EthereumJS:
// {"fork": "Osaka", "address": "00..01", "gas": 3000, "data": "0x.."}
// -> {"failed": false, "gas": 3000, "output": "0x.."}
import { createInterface } from "node:readline";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, getActivePrecompiles } from "@ethereumjs/evm";

const hex = (bytes) => `0x${Buffer.from(bytes).toString("hex")}`;
const forks = new Map();

async function rules(fork) {
  if (!forks.has(fork)) {
    const common = new Common({ chain: Mainnet, hardfork: Hardfork[fork] });
    const _EVM = await createEVM({ common });
    forks.set(fork, { common, _EVM, table: getActivePrecompiles(common) });
  }
  return forks.get(fork);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { fork, address, gas, data } = JSON.parse(line);
  const { common, _EVM, table } = await rules(fork);
  const answer = await table.get(address)({
    data: Uint8Array.from(Buffer.from(data.slice(2), "hex")),
    gasLimit: BigInt(gas),
    common,
    _EVM,
  });
  const failed = answer.exceptionError !== undefined;
  const output = failed ? "0x" : hex(answer.returnValue);
  console.log(JSON.stringify({ failed, gas: Number(answer.executionGasUsed), output }));
}
