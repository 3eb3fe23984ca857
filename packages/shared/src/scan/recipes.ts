import { SCAN_CHECKS, type ScanCheckId, type ScanResult } from './checks.ts'
import recipes from './recipes.json' with { type: 'json' }

/** A stack that recipes are written for; `unknown` has those for any stack. */
export type Stack = keyof typeof recipes.stacks

/** Names of the stacks that have recipes. */
export const STACKS = Object.fromEntries(
  Object.entries(recipes.stacks).map(([stack, { name }]) => [stack, name]),
) as Readonly<Record<Stack, string>>

/** Marks of stacks in response headers. */
const MARKS: readonly (readonly [Stack, RegExp])[] = [
  ['next', /\bnext\.js\b/i],
  ['hono', /\bhono\b/i],
  ['x402-rs', /\bx402-(rs|axum)\b|\baxum\b/i],
  ['express', /\bexpress\b/i],
  ['fastapi', /\b(uvicorn|hypercorn|fastapi)\b/i],
]

/** Returns the stack that response headers show. @param headers names in lower case */
export function detectStack(headers: Readonly<Record<string, string>>): Stack {
  const text = ['x-powered-by', 'server', 'via'].map((name) => headers[name] ?? '').join(' ')
  if (headers['x-nextjs-cache'] !== undefined || headers['x-nextjs-matched-path'] !== undefined) return 'next'
  return MARKS.find(([, mark]) => mark.test(text))?.[0] ?? 'unknown'
}

/** Lines that pass a check, by the language of the stack, and the line of the recipe that they take the place of. */
type Part = {
  readonly checks: readonly string[]
  readonly at: string
  readonly lines: Readonly<Record<string, readonly string[] | undefined>>
}
const PARTS: readonly Part[] = recipes.parts
/** Fixes that are not about the terms of a route. */
const OWN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = recipes.own

/** Returns code or a message that passes a check, for a stack. */
export function recipeFor(id: ScanCheckId, stack: Stack): string {
  const { language, recipe } = recipes.stacks[stack]
  const part = PARTS.find(({ checks }) => checks.includes(id))
  const fill = (line: string) => {
    const [, indent = '', place] = /^( *)(<\w+>)$/.exec(line) ?? []
    if (place === undefined) return [line]
    return place === part?.at ? (part.lines[language] ?? []).map((more) => indent + more) : []
  }
  return (OWN[id]?.[stack] ?? recipe.flatMap(fill)).join('\n')
}

/** A result with what to change, where the check failed. */
export type ScanFinding = ScanResult & { readonly fix?: string; readonly recipe?: string }

/** Adds to each failed check what to change, with the recipe for a stack. */
export function addFixes(results: readonly ScanResult[], stack: Stack): ScanFinding[] {
  return results.map((result) =>
    result.outcome === 'fail'
      ? { ...result, fix: SCAN_CHECKS[result.id].fix, recipe: recipeFor(result.id, stack) }
      : result,
  )
}
