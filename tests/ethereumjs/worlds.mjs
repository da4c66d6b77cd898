// Plays worlds on @ethereumjs/vm: a line of JSON for each on stdin, one with what each
// message did on stdout. Numbers are hexadecimal texts.
//
// Messages of the seam mint their value, cost nothing and use no nonce up, apart from
// those that create; so the sender's balance and nonce are put right around each.
import { createInterface } from 'node:readline'
import { createBlock } from '@ethereumjs/block'
import { Common, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createTx } from '@ethereumjs/tx'
import { Account, Address, bytesToHex, hexToBytes, setLengthLeft } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { keccak_256 } from '@noble/hashes/sha3.js'

// POINT_EVALUATION is only called with input that is no proof.
const kzg = { verifyProof: () => false }
// What stands for a block's hash, as the seam says it.
const hashOf = (number) => keccak_256(new TextEncoder().encode(String(number)))
const blockchain = {
  getBlock: async (number) => ({ hash: () => hashOf(number) }),
  putBlock: async () => {},
  shallowCopy: () => blockchain,
}

const addressOf = (text) => new Address(setLengthLeft(hexToBytes(text), 20))
const wordOf = (text) => setLengthLeft(hexToBytes(text), 32)

async function worldOf(setting) {
  const common = new Common({
    chain: Mainnet,
    hardfork: setting.fork,
    customCrypto: { kzg },
  })
  const stateManager = new MerkleStateManager({ common })
  const evm = await createEVM({ common, stateManager, blockchain })
  const vm = await createVM({ common, stateManager, blockchain, evm })
  for (const [text, account] of Object.entries(setting.accounts)) {
    const address = addressOf(text)
    const { nonce, balance } = account
    await stateManager.putAccount(
      address,
      new Account(BigInt(nonce), BigInt(balance)),
    )
    if (account.code !== '0x') {
      await stateManager.putCode(address, hexToBytes(account.code))
    }
    for (const [slot, value] of Object.entries(account.storage)) {
      const bytes = hexToBytes(value)
      await stateManager.putStorage(address, wordOf(slot), bytes)
    }
  }
  await stateManager.flush()
  return vm
}

async function change(vm, address, by) {
  const account = (await vm.stateManager.getAccount(address)) ?? new Account()
  account.balance += by.balance ?? 0n
  account.nonce += by.nonce ?? 0n
  if (account.isEmpty()) await vm.stateManager.deleteAccount(address)
  else await vm.stateManager.putAccount(address, account)
}

function transactionOf(vm, message, nonce) {
  const data = {
    nonce,
    gasLimit: message.gas,
    to: message.to ?? undefined,
    value: message.value,
    data: message.data,
  }
  const lists = { accessList: message.accessList, chainId: 1n }
  let typed = { ...data, gasPrice: 0n }
  if (message.authorizations.length > 0) {
    const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    const authorizationList = message.authorizations
    typed = { ...data, ...lists, ...fees, type: 4, authorizationList }
  } else if (message.accessList.length > 0) {
    typed = { ...typed, ...lists, type: 1 }
  }
  const tx = createTx(typed, { common: vm.common, freeze: false })
  tx.getSenderAddress = () => addressOf(message.sender)
  return tx
}

async function play(vm, block, message) {
  const sender = addressOf(message.sender)
  const value = BigInt(message.value)
  await change(vm, sender, { balance: value })
  const header = {
    ...block,
    number: message.number,
    timestamp: message.timestamp,
  }
  const options = { common: vm.common, skipConsensusFormatValidation: true }
  let answer
  try {
    const nonce = (await vm.stateManager.getAccount(sender))?.nonce ?? 0n
    const result = await runTx(vm, {
      tx: transactionOf(vm, message, nonce),
      block: createBlock({ header }, options),
      skipBlockGasLimitValidation: true,
    })
    const { exceptionError, returnValue, logs } = result.execResult
    const error = exceptionError?.error ?? ''
    if (error !== '' || message.to !== null) {
      await change(vm, sender, { nonce: -1n })
    }
    if (error !== '') await change(vm, sender, { balance: -value })
    answer = {
      error,
      output: bytesToHex(returnValue),
      gas: `0x${result.totalGasSpent.toString(16)}`,
      logs: error
        ? []
        : (logs ?? []).map(([address, topics, data]) => [
            bytesToHex(address),
            topics.map(bytesToHex),
            bytesToHex(data),
          ]),
    }
  } catch (error) {
    await change(vm, sender, { balance: -value })
    answer = { refused: error.message }
  }
  await vm.stateManager.flush()
  answer.root = bytesToHex(await vm.stateManager.getStateRoot())
  return answer
}

for await (const line of createInterface({ input: process.stdin })) {
  const setting = JSON.parse(line)
  const vm = await worldOf(setting)
  const answers = []
  for (const message of setting.messages) {
    answers.push(await play(vm, setting.block, message))
  }
  process.stdout.write(`${JSON.stringify(answers)}\n`)
}
