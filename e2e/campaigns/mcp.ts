import { readMachineRegistry, readPackage, readPackumentText } from '@touchstone402/server/testing'

/** Long-established packages with known facts. */
const KNOWN = [
  { name: '@modelcontextprotocol/sdk', installScripts: false, deprecated: false },
  { name: '@modelcontextprotocol/server-filesystem', installScripts: false, deprecated: false },
  { name: 'esbuild', installScripts: true, deprecated: false },
  { name: 'request', installScripts: false, deprecated: true },
] as const

const ABSENT = '@modelcontextprotocol/there-is-no-such-package'

/**
 * The audit of an MCP server states the facts of its package.
 *
 * Checks the audit's facts against the configured npm registry, so it needs the network.
 */
export async function run() {
  const registry = {
    url: await readMachineRegistry(),
    contact: 'https://touchstone.example/methodology',
    timeoutMs: 20_000,
    retries: 2,
    parse: readPackumentText,
  }
  const wrong: string[] = []
  for (const { name, installScripts, deprecated } of KNOWN) {
    const facts = await readPackage(registry, name, null)
    const isRight =
      facts.outcome === 'found' &&
      facts.repository !== null &&
      facts.maintainers?.length !== 0 &&
      facts.installScripts.length > 0 === installScripts &&
      // A mirror may omit deprecations.
      (facts.isPartial || facts.isDeprecated === deprecated)
    if (!isRight) wrong.push(name)
    process.stderr.write(`${isRight ? 'right' : 'wrong'}: ${JSON.stringify(facts)}\n`)
  }
  const absent = await readPackage(registry, ABSENT, null)
  if (absent.outcome !== 'absent') wrong.push(ABSENT)
  return { ok: wrong.length === 0, figures: { packages: KNOWN.length + 1, wrong: wrong.length } }
}
