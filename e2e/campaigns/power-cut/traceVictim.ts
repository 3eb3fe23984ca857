import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleVictim } from '../../support/bundleVictim.ts'
import { type Call, readTrace } from './readTrace.ts'

const VICTIM = new URL('./victim.ts', import.meta.url)
/** Every call that changes a disk, or a file descriptor that does. */
const CALLS =
  'openat,creat,close,dup,dup2,dup3,lseek,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,' +
  'truncate,ftruncate,fallocate,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink'

/** A run of the victim. */
export type Run = {
  /** Data folder; the first run creates its store. */
  readonly directory: string
  /** Number of the first probe. */
  readonly from: number
  /** Acknowledgements after which the victim kills itself. */
  readonly limit: number
}

/** Returns whether this machine has `strace`. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0
}

/**
 * Bundles the victim, since a loader of TypeScript would be traced too.
 * @returns a function that runs it and returns its calls in order, and one that removes it
 */
export async function prepareVictim() {
  const { file, folder, remove } = await bundleVictim('power-cut', VICTIM)
  const trace = join(folder, 'trace')
  return {
    async run(run: Run): Promise<Call[]> {
      await mkdir(run.directory, { recursive: true })
      const node = [process.execPath, file, JSON.stringify(run)]
      const flags = [
        '-f',
        '-y',
        '-xx',
        '-s',
        '67108864',
        '-e',
        'signal=none',
        '-e',
        `trace=${CALLS}`,
        '-o',
        trace,
      ]
      const strace = spawn('strace', [...flags, ...node], { stdio: ['ignore', 'ignore', 'inherit'] })
      await once(strace, 'exit')
      return readTrace(await readFile(trace, 'utf8'))
    },
    remove,
  }
}
