import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { defineConfig } from 'tsup'

const METAFILE = 'dist/metafile-esm.json'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    main: 'src/cli/main.ts',
    'clients/main': 'clients/main.ts',
    'clients/proxied': 'clients/proxied.ts',
    'clients/touchstone': '../guard/src/node/cli/main.ts',
  },
  format: 'esm',
  target: 'node20',
  splitting: true,
  minify: true,
  metafile: true,
  // The package installs nothing: the stock clients carry all that they use.
  noExternal: [/^(?!(secp256k1|pg)$)/],
  external: ['secp256k1', 'pg'],
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)",
  },
  // Sources leave out what is not used, such as the schemas.
  esbuildOptions(options) {
    options.conditions = ['source', 'import', 'default']
  },
  async onSuccess() {
    writeFileSync('dist/THIRD-PARTY-LICENSES.txt', listLicenses())
    rmSync(METAFILE)
  },
})

/** Returns the licences of all packages that were bundled. */
function listLicenses(): string {
  const { inputs } = JSON.parse(readFileSync(METAFILE, 'utf8')) as { inputs: Record<string, unknown> }
  const folders = Object.keys(inputs).flatMap((path) =>
    path.includes('node_modules') ? findPackage(path) : [],
  )
  return [...new Set(folders)]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
      const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
      return `${name} ${version}: ${license}\n${text}`
    })
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the folder of the package that a file belongs to. */
function findPackage(path: string): string {
  const folder = dirname(resolve(path))
  const manifest = join(folder, 'package.json')
  // Folders of a package may have one that says no more than the type of its modules.
  const isPackage = existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined
  return isPackage ? folder : findPackage(folder)
}
