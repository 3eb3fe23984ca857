import type { ProxyOptions } from '../node/proxy/startProxy.ts'
import { TOKEN, type useProxyHarness } from './proxyHarness.ts'
import { createRemoteSigner, messageOf, nonceOf } from './remoteSigner.ts'

/** Token of a second agent. */
export const OTHER = 'token-of-shopping'
/** Tasks of the two agents, by token. */
export const TASKS = new Map([
  [TOKEN, { name: 'research', maxUsd: '0.50' }],
  [OTHER, { name: 'shopping', maxUsd: '0.50' }],
])

/** Starts a proxy with `--sign` for two agents, and signs as they do. */
export async function startAgent(
  harness: ReturnType<typeof useProxyHarness>,
  change: Partial<ProxyOptions> = {},
) {
  const proxy = await harness.start({ signs: true, tasks: TASKS, now: () => Date.now(), ...change })
  const { address, sign } = await createRemoteSigner(proxy)
  let nonce = 0
  const signNew = (seconds = 60) => {
    nonce += 1
    return sign(
      messageOf(address, nonceOf(nonce), { validBefore: String(Math.floor(Date.now() / 1000) + seconds) }),
    )
  }
  /** Signs by the same nonce for whoever asks. */
  const signAgain = (token: string) => sign(messageOf(address, nonceOf(7)), token)
  return { ...proxy, signNew, signAgain }
}
