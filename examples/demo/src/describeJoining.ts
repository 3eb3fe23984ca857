import { type Economy, keyAt, WALLET_INDEX, walletAt } from '@touchstone402/economy'

/** Endpoint that the printed settings name. */
const SELLER = 'honest-v2'
/** A funded wallet that no agent of the demonstration uses. */
const WALLET = WALLET_INDEX.bots[5]

/** Describes how to run an agent of one's own against the demonstration: wallet, settings, command and endpoints. */
export async function describeJoining(economy: Economy, serviceUrl: string): Promise<string[]> {
  const sellers = Object.values(economy.sellers)
  const endpoint = economy.sellers[SELLER]?.url ?? ''
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
    'Endpoints to try:',
    ...sellers.map(({ id, method, url }) => `  ${id.padEnd(16)} ${method.padEnd(4)} ${url}`),
    '',
    'Or ask about one of them. In this checkout this stands for npx @touchstone402/guard:',
    '',
    `node packages/guard/bin/touchstone.js check ${endpoint} --service ${serviceUrl}`,
  ]
}
