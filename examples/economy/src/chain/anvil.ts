import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A running anvil. */
export type Anvil = { rpcUrl: string; pid: number; stop(): Promise<void> }

const LISTENING = /Listening on (127\.0\.0\.1:\d+)/
const START_TIMEOUT_MS = 15_000

// The package's launcher is a Node wrapper that outlives its child, so the binary is run directly.
function binaryPath(): string {
  const os = process.platform === 'win32' ? 'win32' : process.platform
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const require = createRequire(import.meta.url)
  const ofAnvil = createRequire(require.resolve('@foundry-rs/anvil/package.json'))
  const platform = ofAnvil.resolve(`@foundry-rs/anvil-${os}-${arch}/package.json`)
  return join(dirname(platform), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
}

const children = new Set<ChildProcessWithoutNullStreams>()
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const killAll = () => {
  for (const child of children) child.kill('SIGKILL')
}

// By default a signal ends the process without emitting `exit`, which would leave anvil running.
const onSignal = (signal: NodeJS.Signals) => {
  // Another listener handles the signal and ends the process, which emits `exit`.
  if (process.listenerCount(signal) > 1) return
  killAll()
  process.off(signal, onSignal)
  process.kill(process.pid, signal)
}

function guardExit(child: ChildProcessWithoutNullStreams): void {
  if (children.size === 0) {
    process.once('exit', killAll)
    for (const signal of SIGNALS) process.on(signal, onSignal)
  }
  children.add(child)
}

function release(child: ChildProcessWithoutNullStreams): void {
  if (!children.delete(child) || children.size > 0) return
  process.off('exit', killAll)
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/**
 * Starts anvil on a free loopback port. It exits with this process.
 * @param options.genesisTimestamp seconds since 1970 of block 0.
 * @param options.state file with the state to start from, which has its own block 0.
 * @throws if the binary for this platform is missing, or it does not listen within 15 s.
 */
export async function startAnvil(options: {
  chainId: number
  genesisTimestamp: number
  state?: string | undefined
}): Promise<Anvil> {
  const { chainId, genesisTimestamp, state } = options
  const args = [
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--chain-id',
    `${chainId}`,
    '--timestamp',
    `${genesisTimestamp}`,
    ...(state === undefined ? [] : ['--load-state', state]),
  ]
  // In a separate process group, since Ctrl-C must not stop the chain before its users.
  const child = spawn(binaryPath(), args, { stdio: 'pipe', detached: true })
  guardExit(child)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      release(child)
      resolve()
    })
  })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  }
  try {
    const address = await listening(child)
    if (child.pid === undefined) throw new Error('anvil has no process id')
    return { rpcUrl: `http://${address}`, pid: child.pid, stop }
  } catch (error) {
    child.kill('SIGKILL')
    release(child)
    throw error
  }
}

function listening(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(() => fail('did not listen in time'), START_TIMEOUT_MS)
    const fail = (why: string) => {
      clearTimeout(timer)
      reject(new Error(`anvil ${why}: ${output.slice(-500).trim()}`))
    }
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code) => fail(`exited with ${code}`))
    child.stderr.on('data', (chunk) => {
      output = (output + chunk).slice(-4_000)
    })
    const read = (chunk: Buffer) => {
      output = (output + chunk).slice(-8_000)
      const address = LISTENING.exec(output)?.[1]
      if (!address) return
      clearTimeout(timer)
      child.stdout.off('data', read)
      // Drain the log so that the pipe never fills.
      child.stdout.resume()
      resolve(address)
    }
    child.stdout.on('data', read)
  })
}
