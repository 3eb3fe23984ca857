import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A local chain for tests. */
export type LocalChain = {
  readonly url: string
  readonly port: number
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
}

/** A local chain that a test has started. */
export type Anvil = LocalChain & { stop(): Promise<void> }

/** Returns the path of the anvil binary in its platform package, without running the wrapper's install script. */
export function resolveAnvil(): string {
  const require = createRequire(import.meta.url)
  const wrapper = createRequire(require.resolve('@foundry-rs/anvil/package.json'))
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`
  return join(dirname(wrapper.resolve(`${name}/package.json`)), 'bin', 'anvil')
}

const listening = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', (code) => reject(new Error(`anvil exited with ${code}: ${text.slice(-500)}`)))
    child.once('error', reject)
    child.stderr?.on('data', (part: Buffer) => {
      text += part.toString()
    })
    child.stdout?.on('data', (part: Buffer) => {
      text += part.toString()
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(text)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })

/** Starts anvil on a free port, with additional command-line arguments. */
export async function startAnvil(args: readonly string[] = []): Promise<Anvil> {
  const child = spawn(resolveAnvil(), ['--port', '0', '--host', '127.0.0.1', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const port = await listening(child)
  return {
    ...connectAnvil(`http://127.0.0.1:${port}`),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

/** Connects to a running anvil. */
export function connectAnvil(url: string): LocalChain {
  return {
    url,
    port: Number(new URL(url).port),
    async rpc(method, params = []) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const reply = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const answer = (await reply.json()) as { result?: unknown; error?: { message: string } }
      if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
      return answer.result
    },
  }
}

/** A transaction in a block, as JSON-RPC gives it. */
export type Mined = {
  readonly transactionHash: `0x${string}`
  /** `0x1` if it succeeded. */
  readonly status: string
  readonly contractAddress: `0x${string}` | null
}

/**
 * Sends a transaction from one of anvil's accounts and resolves once it is in a block. Without the wait, the next one could
 * end up in the same block. Clients that poll for new blocks can hang here, because nothing mines another one.
 */
export async function sendMined(
  rpc: LocalChain['rpc'],
  transaction: Readonly<Record<string, string | undefined>>,
): Promise<Mined> {
  return (await rpc('eth_sendTransactionSync', [transaction])) as Mined
}
