import { lookup } from 'node:dns/promises'
import { type Economy, keyAt, WALLET_INDEX, walletAt } from '@touchstone402/economy'

/** Endpoint that the printed settings name. */
const SELLER = 'honest-v2'
/** A funded wallet that no agent of the demonstration uses. */
const WALLET = WALLET_INDEX.bots[5]
/** Teaches Node the names of the sellers. */
const LOCAL_NAMES = new URL('../../../scripts/agent/localNames.mjs', import.meta.url).href

/**
 * Describes how to run an agent of one's own against the demonstration: wallet, settings, command and endpoints.
 * @param knowsNames whether the resolver of this machine knows names below localhost
 */
export async function describeJoining(
  economy: Pick<Economy, 'sellers' | 'chain'>,
  serviceUrl: string,
  knowsNames: boolean,
): Promise<string[]> {
  const sellers = Object.values(economy.sellers)
  const endpoint = economy.sellers[SELLER]?.url ?? ''
  const width = Math.max(...sellers.map(({ url }) => url.length))
  const atomic = await economy.chain.usdcBalanceOf(walletAt(WALLET).address)
  return [
    `Join with your own agent. Its test wallet ${walletAt(WALLET).address} has ${atomic / 1_000_000n} USDC on the local chain.`,
    'Save these lines as .env in this folder:',
    '',
    `TOUCHSTONE_URL=${serviceUrl}`,
    `ENDPOINT_URL=${endpoint}`,
    `PRIVATE_KEY=${keyAt(WALLET)}`,
    '# The sellers are on this machine, which tools for models refuse otherwise.',
    'ALLOW_PRIVATE_HOSTS=1',
    '',
    'and run your script, or this one, in another terminal:',
    '',
    'npm run agent -- examples/quickstart/agent.mjs',
    '',
    ...(knowsNames ? [] : EXPLAINED_NAMES),
    'Endpoints to try:',
    ...sellers.map(({ method, url, spec }) => `  ${method.padEnd(4)} ${url.padEnd(width)}  ${spec.title}`),
    '',
    'Or ask about one of them. In this checkout this stands for npx @touchstone402/guard:',
    '',
    `node packages/guard/bin/touchstone.js check ${endpoint} --service ${serviceUrl}`,
  ]
}

/** Returns whether the resolver of this machine knows a host, such as a name below localhost. */
export async function isResolved(host: string): Promise<boolean> {
  return lookup(host).then(
    () => true,
    () => false,
  )
}

const EXPLAINED_NAMES = [
  'Names below localhost mean this machine, as browsers and curl know, but its resolver does not.',
  'npm run agent resolves them. To call the sellers from another Node program, set this before:',
  '',
  `export NODE_OPTIONS=--import=${LOCAL_NAMES}`,
  '',
]
