import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseYaml } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { pinVersion } from '../../../scripts/pinVersion.mjs'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(ROOT + path, 'utf8')
const { scripts, engines } = JSON.parse(read('package.json'))
const WORKFLOWS = readdirSync(`${ROOT}.github/workflows`)
const FORMS = readdirSync(`${ROOT}.github/ISSUE_TEMPLATE`).filter((name) => name !== 'config.yml')

// The parts of the workflow syntax in use, strictly: a misspelled or misplaced key fails.
// Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
const PermissionsSchema = z.strictObject({
  contents: z.enum(['read', 'write']).optional(),
  'pull-requests': z.enum(['read', 'write']).optional(),
  packages: z.literal('write').optional(),
  'id-token': z.literal('write').optional(),
  attestations: z.literal('write').optional(),
})
const common = { id: z.string().optional(), name: z.string().optional(), if: z.string().optional() }
const values = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
const StepSchema = z.union([
  z.strictObject({ ...common, uses: z.string(), with: values.optional(), env: values.optional() }),
  z.strictObject({ ...common, run: z.string().min(1), env: values.optional() }),
])
const needs = { needs: z.string().optional(), if: z.string().optional() }
const JobSchema = z.union([
  z.strictObject({
    ...needs,
    uses: z.string(),
    permissions: PermissionsSchema.optional(),
    with: values.optional(),
  }),
  z.strictObject({
    ...needs,
    outputs: z.record(z.string(), z.string()).optional(),
    'runs-on': z.literal('ubuntu-24.04'),
    'timeout-minutes': z.int(),
    permissions: PermissionsSchema.optional(),
    steps: z.array(StepSchema).min(1),
  }),
])
const BranchesSchema = z.nullable(
  z.strictObject({
    branches: z.array(z.string()).optional(),
    'branches-ignore': z.array(z.string()).optional(),
    paths: z.array(z.string()).optional(),
  }),
)
const WorkflowSchema = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    push: BranchesSchema.optional(),
    pull_request: BranchesSchema.optional(),
    workflow_call: z
      .nullable(z.strictObject({ inputs: z.record(z.string(), z.strictObject({ type: z.string() })) }))
      .optional(),
    workflow_dispatch: z.null().optional(),
    schedule: z.array(z.strictObject({ cron: z.string().regex(/^(\S+ ){4}\S+$/) })).optional(),
  }),
  permissions: PermissionsSchema,
  concurrency: z.strictObject({
    group: z.string(),
    'cancel-in-progress': z.union([z.boolean(), z.string()]),
  }),
  jobs: z.record(z.string().regex(/^[a-z-]+$/), JobSchema),
})

// Source: https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema
const validations = z.strictObject({ required: z.boolean() }).optional()
const texts = {
  label: z.string().min(1),
  description: z.string().optional(),
  placeholder: z.string().optional(),
}
const field = <T extends string>(type: T, attributes: z.ZodType) =>
  z.strictObject({ type: z.literal(type), id: z.string().regex(/^[\w-]+$/), attributes, validations })
const FormSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  title: z.string().optional(),
  labels: z.array(z.string()).optional(),
  body: z
    .array(
      z.union([
        z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
        field('input', z.strictObject(texts)),
        field('textarea', z.strictObject({ ...texts, render: z.string().optional() })),
        field('dropdown', z.strictObject({ ...texts, options: z.array(z.string()).min(2) })),
        field(
          'checkboxes',
          z.strictObject({ ...texts, options: z.array(z.strictObject({ label: z.string() })).min(1) }),
        ),
      ]),
    )
    .min(1),
})

const readWorkflow = (name: string) => WorkflowSchema.parse(parseYaml(read(`.github/workflows/${name}`)))
const stepsOf = (name: string) =>
  Object.values(readWorkflow(name).jobs).flatMap((job) => ('steps' in job ? job.steps : []))
const commandsOf = (name: string) =>
  stepsOf(name).flatMap((step) => ('run' in step ? step.run.split('\n') : []))

test.each(WORKFLOWS)('default: %s is a workflow with read permissions and pinned actions', (name) => {
  const { permissions, jobs } = readWorkflow(name)
  expect(permissions).toEqual({ contents: 'read' })
  for (const job of Object.values(jobs)) {
    if (job.needs !== undefined) expect(Object.keys(jobs)).toContain(job.needs)
    if ('uses' in job) expect(existsSync(ROOT + job.uses.replace('./', '')), job.uses).toBe(true)
  }
  const actions = stepsOf(name).flatMap((step) => ('uses' in step ? [step.uses] : []))
  expect(findUnpinned(actions)).toEqual([])
  // The version stands beside, for whoever updates it.
  const versions = [...read(`.github/workflows/${name}`).matchAll(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm)]
  expect(versions).toHaveLength(actions.length)
})

/** Lists the actions that a tag names, which its owner can move. */
const findUnpinned = (actions: readonly string[]) =>
  actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))

test('error: an action by its tag, its branch or a short hash is not pinned', () => {
  const named = [
    'actions/checkout@v4',
    'actions/checkout@main',
    'actions/checkout@11bd719',
    'actions/checkout',
  ]
  expect(findUnpinned(named)).toEqual(named)
})

test('default: images are built from images by digest', () => {
  for (const path of ['Dockerfile', 'docs/examples/proxy-compose.yaml']) {
    const images = [...read(path).matchAll(/^\s*FROM (\S+)/gm)].map(([, image]) => image)
    expect(images.length).toBeGreaterThan(0)
    for (const image of images) expect(image).toMatch(/^node:2[04]-slim@sha256:[0-9a-f]{64}$/)
  }
})

test.each([
  ['action.yml', 'packages/guard/package.json'],
  ['packages/crash-test/action.yml', 'packages/crash-test/package.json'],
])('default: %s runs the version of %s, which npm run bump keeps', (action, manifest) => {
  const { inputs } = z
    .object({ inputs: z.object({ version: z.object({ default: z.string() }) }) })
    .parse(parseYaml(read(action)))
  const { version } = JSON.parse(read(manifest))
  expect(inputs.version.default).toBe(version)
  expect(pinVersion(read(action), '9.8.7')).toBe(
    read(action).replace(`default: "${version}"`, 'default: "9.8.7"'),
  )
})

test.each(WORKFLOWS)('behavior: every expression of %s is closed and reads a known context', (name) => {
  const text = read(`.github/workflows/${name}`)
  const expressions = [...text.matchAll(/\$\{\{(.*?)\}\}/g)].map(([, inner = '']) => inner.trim())
  expect(text.split('${{')).toHaveLength(expressions.length + 1)
  for (const expression of expressions)
    expect(expression).toMatch(/^(github\.\w+|secrets\.[A-Z_]+|steps\.\w+\.outputs\.\w+)( == '\w+')?$/)
  // Text of a pull request in a shell line would be run.
  for (const command of commandsOf(name)) expect(command).not.toContain('${{')
})

test.each(WORKFLOWS)('behavior: every script and file that %s runs exists', (name) => {
  const publish = stepsOf(name).flatMap((step) => ('with' in step ? Object.values(step.with ?? {}) : []))
  for (const command of [...commandsOf(name), ...publish.map(String)]) {
    const [, script] = /^npm run ([\w:]+)/.exec(command) ?? []
    if (script !== undefined) expect(Object.keys(scripts)).toContain(script)
    const [path] = /^\.[\w./-]+$/.exec(command.trim()) ?? []
    if (path?.startsWith('.ci/')) expect(statSync(ROOT + path).mode & 0o100, path).not.toBe(0)
    if (path === '.nvmrc') expect(`>=${read(path).trim()}`).toBe(engines.node)
  }
})

test('default: pull requests and pushes run .ci/run, and only main releases, after it', () => {
  const ci = readWorkflow('ci.yml')
  expect(Object.keys(ci.on).sort()).toEqual(['pull_request', 'push', 'workflow_call'])
  expect(commandsOf('ci.yml')).toContain('.ci/run')
  const release = readWorkflow('release.yml')
  const { baseBranch } = JSON.parse(read('.changeset/config.json'))
  expect(release.on).toEqual({ push: { branches: [baseBranch] } })
  expect(ci.on.push?.['branches-ignore']).toEqual([baseBranch])
  expect(release.jobs).toMatchObject({
    check: { uses: './.github/workflows/ci.yml' },
    release: { needs: 'check', permissions: { 'id-token': 'write' } },
    // The image of a version is pushed once its packages are published.
    image: { needs: 'release', uses: './.github/workflows/image.yml', with: { push: true } },
  })
})

test.each(FORMS)('default: %s is an issue form', (name) => {
  const { body } = FormSchema.parse(parseYaml(read(`.github/ISSUE_TEMPLATE/${name}`)))
  const ids = body.flatMap((part) => ('id' in part ? [part.id] : []))
  expect(new Set(ids).size).toBe(ids.length)
  expect(body.some((part) => 'validations' in part && part.validations?.required === true)).toBe(true)
})

test('error: a workflow with a misspelled key, or a form with a misplaced one, is refused', () => {
  const workflow = z.record(z.string(), z.unknown()).parse(parseYaml(read('.github/workflows/ci.yml')))
  expect(WorkflowSchema.safeParse(workflow).success).toBe(true)
  expect(WorkflowSchema.safeParse({ ...workflow, permission: {} }).success).toBe(false)
  expect(WorkflowSchema.safeParse({ ...workflow, permissions: 'write-all' }).success).toBe(false)
  const form = z.record(z.string(), z.unknown()).parse(parseYaml(read('.github/ISSUE_TEMPLATE/idea.yml')))
  expect(FormSchema.safeParse({ ...form, body: [{ type: 'input', label: 'a' }] }).success).toBe(false)
})
