import { createTokenAnswers, createTransferSource } from '@touchstone402/transfers'
import { type Anvil, openTokenKinds, startAnvil } from '@touchstone402/transfers/testing'
import { type Address, encodeFunctionData, erc20Abi, getAddress, numberToHex } from 'viem'

const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const END = Date.parse('2026-01-31T12:00:00Z') / 1000
/** Two windows of a day, and room before them. */
const HOURS = 50
const BLOCKS_PER_HOUR = 4
const BLOCKS = HOURS * BLOCKS_PER_HOUR
const BLOCK_SECONDS = 3600 / BLOCKS_PER_HOUR
const PEOPLE = 80
/** Makes most of the large transfers. */
const WHALE = 1

type Move = { readonly from: Address; readonly to: Address; readonly cents: number }

const someone = (index: number): Address => `0x${((index + 3) * 7919).toString(16).padStart(40, 'c41e')}`

/** Returns equal numbers in every run. */
const createRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** Transfers of one block: more by day than by night, most of them small, and a few large ones. */
function liveABlock(block: number, random: () => number): Move[] {
  const hour = (block / BLOCKS_PER_HOUR) % 24
  const growth = block > BLOCKS - 24 * BLOCKS_PER_HOUR ? 1.5 : 1
  const busy = (1.2 + Math.sin(((hour - 4) / 24) * 2 * Math.PI)) * growth
  const moves = Array.from({ length: Math.round(busy * 3 * random()) }, (): Move => {
    const [from, to] = [someone(Math.floor(random() * PEOPLE)), someone(Math.floor(random() ** 2 * PEOPLE))]
    return { from, to, cents: Math.floor(10 ** (1 + 4 * random())) }
  })
  if (random() < 0.08) {
    const cents = Math.floor(400_000 + 2_600_000 * random() ** 2)
    moves.push({ from: someone(WHALE), to: someone(2 + Math.floor(random() * 9)), cents })
  }
  return moves
}

/** Places a token whose supply everybody has a share of. */
async function placeToken(anvil: Anvil): Promise<void> {
  const kinds = await openTokenKinds(anvil.url)
  const code = await anvil.rpc('eth_getCode', [await kinds.deploy('Plain'), 'latest'])
  await anvil.rpc('anvil_setCode', [TOKEN, code])
  const supply = 10n ** 15n
  await kinds.send('Plain', TOKEN, 'init', ['USD Coin', 'USDC', 6, supply])
  const shares = Array.from({ length: PEOPLE }, (_, index) => someone(index))
  for (const holder of shares) {
    await kinds.send('Plain', TOKEN, 'transfer', [holder, supply / BigInt(PEOPLE)])
  }
}

async function mine(anvil: Anvil, time: number, moves: readonly Move[]): Promise<void> {
  for (const { from, to, cents } of moves) {
    const args = [to, BigInt(cents) * 10_000n] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    await anvil.rpc('eth_sendTransaction', [{ from, to: TOKEN, data, gas: '0x30000', gasPrice: '0x0' }])
  }
  await anvil.rpc('evm_setNextBlockTimestamp', [numberToHex(time)])
  await anvil.rpc('evm_mine')
}

/** Records the four token answers about a day of a local chain, by the code that sells them. */
export async function recordWindow() {
  const start = END - (BLOCKS + 1) * BLOCK_SECONDS
  const free = ['--auto-impersonate', '--gas-price', '0', '--block-base-fee-per-gas', '0']
  const anvil = await startAnvil(['--timestamp', String(start - 1000), '--order', 'fifo', ...free])
  const source = createTransferSource({ chainId: 31337, urls: [anvil.url] })
  try {
    await placeToken(anvil)
    await anvil.rpc('evm_setAutomine', [false])
    const random = createRandom(11)
    for (let block = 0; block < BLOCKS; block++) {
      await mine(anvil, END - (BLOCKS - 1 - block) * BLOCK_SECONDS, liveABlock(block, random))
    }
    const checksum = (address: string) => getAddress(address)
    const tokens = createTokenAnswers({ source, now: () => END * 1000, checksum })
    const query = { token: TOKEN, window: '24h', deadlineAt: Date.now() + 60_000 } as const
    return {
      pulse: await tokens.pulse(query),
      whales: await tokens.whales(query),
      flow: await tokens.flow(query),
      momentum: await tokens.momentum(query),
    }
  } finally {
    await source.close()
    await anvil.stop()
  }
}
