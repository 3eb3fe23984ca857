/** Returns the value if it is a JSON object. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

/** Parses a JSON object; returns undefined for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}
