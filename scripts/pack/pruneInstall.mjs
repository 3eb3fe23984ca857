// Removes from a production install what no process reads: `node scripts/pack/pruneInstall.mjs <folder>`.
// These are source maps, types, sources of other languages, the TypeScript compiler, and binaries of other platforms.
import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

const MEGABYTE = 1024 * 1024
/** Node loads no TypeScript from `node_modules`, and nothing is compiled at run time. */
const UNREAD = /\.(map|[mc]?tsx?|c|cc|cpp|h|hpp|gyp|gypi)$/
/** A peer of packages with types; nothing imports it at run time. */
const COMPILER = /[/\\]node_modules[/\\]typescript$/

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: node scripts/pack/pruneInstall.mjs <folder>\n')
  process.exit(2)
}

const before = sizeOf(folder)
for (const path of listUnread(join(folder, 'node_modules'))) rmSync(path, { recursive: true, force: true })
process.stdout.write(`${toMegabytes(before)} MB before, ${toMegabytes(sizeOf(folder))} MB now\n`)

/** Lists what is removed, and follows no links: pnpm links packages to one another. */
function* listUnread(directory) {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (COMPILER.test(path)) yield path
    else if (isOfOtherPlatform(path)) yield path
    else if (lstatSync(path).isDirectory()) yield* listUnread(path)
    else if (UNREAD.test(name)) yield path
  }
}

/** Whether a path is a folder `prebuilds/<os>-<arch>` of another machine, or a binary for another C library within its own. */
function isOfOtherPlatform(path) {
  const name = basename(path)
  const parts = dirname(path).split(sep)
  if (parts.at(-1) === 'prebuilds') return name !== `${process.platform}-${process.arch}`
  const [, library] = /\.(glibc|musl)\.node$/.exec(name) ?? []
  return parts.at(-2) === 'prebuilds' && library !== undefined && library !== ownLibrary()
}

/** Returns the C library; other systems than Linux name theirs glibc too. */
function ownLibrary() {
  const { header } = process.report.getReport()
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

/** Returns the bytes on disk, each file once however often it is linked. */
function sizeOf(directory, seen = new Set()) {
  let bytes = 0
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) bytes += sizeOf(path, seen)
    else if (entry.isFile()) {
      const { ino, blocks } = statSync(path)
      if (!seen.has(ino)) bytes += blocks * 512
      seen.add(ino)
    }
  }
  return bytes
}

function toMegabytes(bytes) {
  return Math.ceil(bytes / MEGABYTE)
}
