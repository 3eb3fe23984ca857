import { readFileSync } from 'node:fs'
import { type Profile, ProfileSchema } from '@touchstone402/shared'
import { expect, test } from 'vitest'
import { buildOpenApi } from '../../http/openapi.ts'
import { HTML, openPages } from '../testing/openPages.ts'
import { SAMPLES } from '../testing/sampleServices.ts'

/** The tables of a description: its rows, cell by cell. */
const [fields = [], rowFields = []] = readFileSync(
  new URL('testing/trustProfile.md', import.meta.url),
  'utf8',
)
  .split('\n\n')
  .filter((part) => part.startsWith('| Field '))
  .map((table) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, -1),
      ),
  )

/** Each described field: its name in the JSON, its form on the page, and how the page shows the JSON's value. */
const PUBLISHED: Readonly<
  Record<
    string,
    { readonly name: keyof Profile; readonly form: RegExp; readonly shown?: (value: never) => string }
  >
> = {
  verdict: { name: 'label', form: /^(Safe to pay|Caution|Avoid|Unknown)$/ },
  'trust score': { name: 'trustScore', form: /^(100|\d?\d|not measured)$/ },
  liveness: { name: 'liveness', form: /^\d+\/\d+$/ },
  uptime: {
    name: 'uptime',
    form: /^([\d.]+% of \d+ of our probes|[\d.]+% of the time; \d+ of \d+ of our probes|too few to state \([012] probes?\))$/,
  },
  'price per call': { name: 'pricePerCall', form: /^(\$[\d.]+(-\$[\d.]+)?|unknown)$/ },
  network: {
    name: 'network',
    form: /^(Base|Base Sepolia|unknown)$/,
    shown: (value: string) => value || 'unknown',
  },
  'on-chain receiver': {
    name: 'receiver',
    form: /^(established|dormant|blank)$/,
    shown: (value) => value ?? 'blank',
  },
  'receiver stability': { name: 'receiverStability', form: /^(stable|new|changed|not measured)$/ },
  'risk level': { name: 'riskLevel', form: /^(clean|low|medium|high|unknown)$/ },
  flags: {
    name: 'flags',
    form: /^(none|[a-z_]+( [a-z_]+)*)$/,
    shown: (value: string[]) => value.join(' ') || 'none',
  },
  'listed by': { name: 'listedBy', form: /\S/, shown: (value: string[]) => value.join(' ') },
  'first seen': { name: 'firstSeen', form: /^\d{4}-\d\d-\d\d$/ },
  'last checked': {
    name: 'lastChecked',
    form: /^(\d{4}-\d\d-\d\d|never)$/,
    shown: (value) => value ?? 'never',
  },
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', amp: '&' }
const textOf = (html = '') =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()

/** Properties of a schema of the OpenAPI document. */
const propertiesOf = (schema: string) =>
  (buildOpenApi() as { components: { schemas: Record<string, { properties: object }> } }).components.schemas[
    schema
  ]?.properties

/** Reads the grid of a page: labels in their order, and the value of each without what the page adds in small. */
function readGrid(html: string) {
  const [, grid = ''] = /<dl class="fields">(.*?)<\/dl>/s.exec(html) ?? []
  return [...grid.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, label = '', cell = '']) => {
    const isWhole = label === 'Uptime' || label === 'On-chain receiver'
    return { label, value: textOf(isWhole ? cell : cell.replace(/<small>.*?<\/small>/gs, '')) }
  })
}

async function readProfiles() {
  const origin = await openPages()
  const hosts = [...new Set(SAMPLES.map(({ host }) => host))]
  return Promise.all(
    hosts.map(async (host) => {
      const url = `${origin}/services/${host}`
      const [html, json] = await Promise.all([
        fetch(url, HTML).then((answer) => answer.text()),
        fetch(`${url}.json`).then((answer) => answer.json()),
      ])
      return { host, html, grid: readGrid(html), profile: ProfileSchema.parse(json) }
    }),
  )
}

const described = fields
  .map(([field = '']) => field)
  .filter((field) => field !== 'host' && field !== 'endpoints')

test('default: the profile shows every described field under its name, in its order and form, as the JSON has it', async () => {
  const properties = propertiesOf('Profile')
  const profiles = await readProfiles()
  expect(profiles.length).toBeGreaterThan(10)
  const table = described.map((field, place) => {
    const {
      name,
      form,
      shown = (value: unknown) => `${value ?? 'not measured'}`,
    } = PUBLISHED[field] ?? expect.fail(field)
    const values = profiles.map(({ host, grid, profile }) => {
      const { label, value } = grid[place] ?? expect.fail(`${host} shows no ${field}`)
      expect(label.toLowerCase(), host).toBe(field)
      expect(value, `${field} of ${host}`).toMatch(form)
      expect(value, `${field} of ${host}`).toBe((shown as (value: unknown) => string)(profile[name]))
      return value
    })
    expect(properties, field).toHaveProperty(name)
    return `${field} | ${name} | ${new Set(values).size} values, such as ${values.toSorted()[0]}`
  })
  expect(table).toMatchInlineSnapshot(`
    [
      "verdict | label | 4 values, such as Avoid",
      "trust score | trustScore | 8 values, such as 0",
      "liveness | liveness | 5 values, such as 0/1",
      "uptime | uptime | 9 values, such as 100% of 100 of our probes",
      "price per call | pricePerCall | 11 values, such as $0.001",
      "network | network | 3 values, such as Base",
      "on-chain receiver | receiver | 3 values, such as blank",
      "receiver stability | receiverStability | 4 values, such as changed",
      "risk level | riskLevel | 5 values, such as clean",
      "flags | flags | 6 values, such as flaky",
      "listed by | listedBy | 3 values, such as 402index bazaar",
      "first seen | firstSeen | 13 values, such as 2026-08-29",
      "last checked | lastChecked | 1 values, such as 2026-11-21",
    ]
  `)
})

test('default: an endpoint is a row with every described field, as the JSON has it, even if it is the only one', async () => {
  expect(rowFields.map(([field]) => field)).toEqual(['endpoint', 'status', 'price', 'trust'])
  const properties = propertiesOf('EndpointRow')
  for (const name of ['endpoint', 'status', 'priceUsd', 'trust']) expect(properties).toHaveProperty(name)
  for (const { host, html, profile } of await readProfiles()) {
    const [, table = ''] = /<table class="endpoints">(.*?)<\/table>/s.exec(html) ?? []
    const rows = [...table.matchAll(/<tr[^>]*>(<th scope="row".*?)<\/tr>/gs)].map(([, row = '']) => row)
    expect(rows.length, host).toBe(profile.endpoints.length)
    for (const { endpoint, status, priceUsd, trust, uptimePct } of profile.endpoints) {
      const row =
        rows.find((one) => one.includes(`title="${endpoint.replaceAll('&', '&amp;')}"`)) ??
        expect.fail(endpoint)
      const text = textOf(row)
      expect(text, endpoint).toContain(` ${status} `)
      expect(text, endpoint).toContain(priceUsd === null ? ' – ' : ` $${priceUsd}`)
      expect(text, endpoint).toContain(trust === null ? ' – ' : ` ${trust} `)
      if (uptimePct !== null) expect(text, endpoint).toContain(` ${uptimePct}% `)
    }
  }
})

test('behavior: the notice stands under the fields', async () => {
  for (const { html, profile } of await readProfiles()) {
    expect(textOf(/<\/dl><p class="asked">(.*?)<\/p>/s.exec(html)?.[1])).toBe(profile.notice)
  }
})
