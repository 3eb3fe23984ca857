import { asObject } from './base64Json.ts'

/** Returns the URL of the resource that a challenge states, preferably in the v2 header. */
export function readResource(
  header: Record<string, unknown> | null,
  body: Record<string, unknown> | null,
): string | null {
  for (const document of [header, body]) {
    if (document === null) continue
    const declared = asObject(document.resource)?.url ?? firstEntry(document)?.resource
    if (typeof declared === 'string') return declared
  }
  return null
}

/** Whether a document declares input or output: in the v2 Bazaar extension (sample or schema) or in v1 `outputSchema`. */
export function declares(side: 'input' | 'output', document: Record<string, unknown> | null): boolean {
  if (document === null) return false
  const bazaar = asObject(asObject(document.extensions)?.bazaar)
  const schema = asObject(asObject(asObject(bazaar?.schema)?.properties)?.[side])
  const entry = asObject(firstEntry(document)?.outputSchema)
  const declared = asObject(asObject(bazaar?.info)?.[side]) ?? schema ?? asObject(entry?.[side])
  return declared !== undefined
}

function firstEntry(document: Record<string, unknown>): Record<string, unknown> | undefined {
  return Array.isArray(document.accepts) ? asObject(document.accepts[0]) : undefined
}
