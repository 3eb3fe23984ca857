import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseYaml } from '@redocly/openapi-core'
import { z } from 'zod'

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))

// The parts of the syntax of composite actions in use, strictly: a misspelled or misplaced key fails.
// Source: https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
const ActionSchema = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      required: z.boolean().optional(),
      default: z.string().optional(),
    }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({
    using: z.literal('composite'),
    steps: z.array(
      z.strictObject({
        name: z.string(),
        id: z.string(),
        shell: z.literal('bash'),
        env: z.record(z.string(), z.string()),
        run: z.string(),
      }),
    ),
  }),
})

/** An action of this repository, and a folder that stands for a checkout of its user. */
export type OpenedAction = {
  action: z.infer<typeof ActionSchema>
  folder: string
  /** Runs the steps as a runner does: in sequence, until one fails. */
  run(given: Record<string, string>, env?: Record<string, string>): Promise<{ code: number; log: string }>
  close(): Promise<void>
}

/**
 * Opens an action.
 * @param path from the root of the repository
 * @param bin built command of this checkout that stands for what npx would fetch
 */
export async function openAction(path: string, name: string, bin: string): Promise<OpenedAction> {
  const action = ActionSchema.parse(parseYaml(await readFile(join(ROOT, path), 'utf8')))
  const { version } = JSON.parse(await readFile(join(ROOT, dirname(bin), '..', 'package.json'), 'utf8'))
  const folder = await mkdtemp(join(tmpdir(), 'action-of a user-'))
  await mkdir(join(folder, 'fetched'))
  const command = join(folder, 'fetched', basename(bin, '.js'))
  await writeFile(command, `#!/bin/bash\nexec node '${join(ROOT, bin)}' "$@"\n`)
  await writeFile(join(folder, 'npx'), npxOf(`${name}@${version}`, folder))
  for (const path of [command, join(folder, 'npx')]) await chmod(path, 0o755)

  const runStep = (script: string, env: Record<string, string>) => {
    const all = {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      HOME: folder,
      GITHUB_ACTION_PATH: join(ROOT, dirname(path)),
      GITHUB_OUTPUT: join(folder, 'output'),
      ...env,
    }
    // As GitHub runs `shell: bash`.
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script]
    return new Promise<{ code: number; log: string }>((resolve) => {
      execFile('bash', args, { cwd: folder, env: all }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), log: stdout + stderr })
      })
    })
  }
  return {
    action,
    folder,
    async run(given, own = {}) {
      const inputs: Record<string, string> = { ...given }
      for (const [input, { default: value = '' }] of Object.entries(action.inputs)) inputs[input] ??= value
      let log = ''
      for (const { run, env } of action.runs.steps) {
        const filled = Object.entries(env).map(([variable, text]) => [
          variable,
          text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => inputs[input] ?? ''),
        ])
        const step = await runStep(run, { ...own, ...Object.fromEntries(filled) })
        log += step.log
        if (step.code !== 0) return { code: step.code, log }
      }
      return { code: 0, log }
    },
    close: () => rm(folder, { recursive: true }),
  }
}

/** Returns a script that stands for npx: it notes where npm would fetch the package from, and runs its command. */
const npxOf = (wanted: string, folder: string) => `#!/bin/bash
options=()
while [[ "$1" == --?* ]]; do
  [[ "$1" == --package=* ]] && package=\${1#--package=}
  options+=("$1")
  shift
done
shift
[ "$package" = "${wanted}" ] || exit 99
ls > '${folder}/seen'
for name in registry @touchstone402:registry; do npm config get "$name" "\${options[@]}"; done > '${folder}/registries'
PATH="${folder}/fetched:$PATH" exec "$@"
`

/** Lists inputs that no step uses through its environment, and steps with an expression in their script. */
export function listUnsafe({ inputs, runs }: OpenedAction['action']): string[] {
  const used = runs.steps.flatMap(({ env }) => Object.values(env)).join(' ')
  return [
    ...Object.keys(inputs).filter((name) => !used.includes(`inputs.${name} `)),
    ...runs.steps.filter(({ run }) => run.includes('${{')).map(({ name }) => name),
  ]
}
