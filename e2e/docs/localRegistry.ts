import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/docs/shellLines.ts'
import { type LocalServer, serve } from '../support/serve.ts'

type Manifest = { readonly name: string; readonly version: string }

const STORE = join(ROOT, 'node_modules/.pnpm')

/** Starts an offline npm registry that serves the installed packages and the guard as it would be published. */
export async function startRegistry(guard: string): Promise<LocalServer> {
  const registry = await serve(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1)
    const [, name = path, version] = /^(.+)\/-\/(.+)\.tgz$/.exec(path) ?? []
    const folders = [...foldersOf(name, guard)]
    if (folders.length === 0) return response.writeHead(404).end('{}')
    if (version === undefined) return response.end(JSON.stringify(describe(name, folders, registry.url)))
    const folder = folders.find((candidate) => read(candidate).version === version) ?? ''
    // pnpm hard-links equal files in its store, and npm refuses links. Not compressed, which npm takes as well.
    const flags = [
      '--hard-dereference',
      '--exclude=./node_modules',
      // Sources, types and maps are most of the files, and no program reads them.
      ...['ts', 'mts', 'cts', 'map'].map((ending) => `--exclude=*.${ending}`),
      '--transform=s,^[.],package,',
    ]
    return spawn('tar', ['-cf', '-', ...flags, '.'], { cwd: folder }).stdout.pipe(response)
  })
  return registry
}

function foldersOf(name: string, guard: string): readonly string[] {
  if (read(guard).name === name) return [guard]
  const stem = `${name.replace('/', '+')}@`
  return readdirSync(STORE)
    .filter((entry) => entry.startsWith(stem))
    .map((entry) => join(STORE, entry, 'node_modules', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
}

function read(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function describe(name: string, folders: readonly string[], url: string) {
  const manifests = folders.map(read)
  const [newest] = manifests
    .map(({ version }) => version)
    .sort(byVersion)
    .reverse()
  return {
    name,
    'dist-tags': { latest: newest },
    versions: Object.fromEntries(
      manifests.map((manifest) => [
        manifest.version,
        { ...manifest, devDependencies: {}, dist: { tarball: `${url}/${name}/-/${manifest.version}.tgz` } },
      ]),
    ),
  }
}

const byVersion = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true })
