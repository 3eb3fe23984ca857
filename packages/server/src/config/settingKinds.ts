// The kinds of settings: what a text of the environment has to be, and what it is read as.
import { PAID_OPERATIONS, type PaidOperationId, usdToAtomic } from '@touchstone402/shared'
import { z } from 'zod'

/** Where endpoints are listed. */
export type DirectoryConfig = {
  kind: (typeof DIRECTORY_KINDS)[number]
  name: string
  location: string
}

/** Sellers are not paid less than a tenth of a cent: settling costs more. */
const LOWEST_PRICE_ATOMIC = usdToAtomic('0.001')

export const required = (what: string) =>
  z
    .string({ error: `is missing: ${what}` })
    .trim()
    .min(1, `is empty: ${what}`)

export const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:\/\//i.test(text)

export const httpUrl = (what: string) =>
  required(what)
    .refine(isHttpUrl, `must be an http or https URL: ${what}`)
    .transform((text) => text.replace(/\/+$/, ''))

/** Verdicts name the service by its origin, and guards compare that with the one they ask. */
export const origin = (what: string) =>
  httpUrl(what).transform((text, context) => {
    const { origin, href } = new URL(text)
    if (href === `${origin}/`) return origin
    context.addIssue({
      code: 'custom',
      message: `must be an origin such as ${origin}, without path, query or credentials: ${what}`,
    })
    return z.NEVER
  })

export const integer = (min: number, max: number, byDefault: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be from ${min} to ${max}`)
    .default(byDefault)

export const list = (what: string) =>
  required(what).transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )

const DIRECTORY_KINDS = ['bazaar', '402index', 'x402-list', 'file'] as const

export const directories = list(
  'such as "bazaar=https://…,402index=https://…,file=/path/urls.txt"',
).transform((items, context): DirectoryConfig[] =>
  items.flatMap((item) => {
    const [, kind, name, location] =
      /^(bazaar|402index|x402-list|file)(?::([a-z0-9-]{1,32}))?=(\S+)$/.exec(item) ?? []
    const known = DIRECTORY_KINDS.find((candidate) => candidate === kind)
    if (known === undefined || location === undefined) {
      context.addIssue({
        code: 'custom',
        message: `"${item}" must be bazaar=URL, 402index=URL, x402-list=URL or file=PATH`,
      })
      return []
    }
    return [{ kind: known, name: name ?? known, location }]
  }),
)

export const prices = z
  .string()
  .default('')
  .transform((text, context) => {
    const wanted: Partial<Record<PaidOperationId, string>> = {}
    for (const item of text.split(',').filter((part) => part.trim() !== '')) {
      const [, name, usd] = /^\s*(\w+)=(\d+(?:\.\d+)?)\s*$/.exec(item) ?? []
      const id = PAID_OPERATIONS.find((operation) => operation === name)
      if (id === undefined || usd === undefined) {
        context.addIssue({
          code: 'custom',
          message: `"${item}" must be one of ${PAID_OPERATIONS.join(', ')} = dollars`,
        })
      } else if (usdToAtomic(usd) < LOWEST_PRICE_ATOMIC) {
        context.addIssue({ code: 'custom', message: `"${item}": the lowest price is 0.001` })
      } else wanted[id] = usd
    }
    return wanted
  })

export const headers = z
  .string()
  .default('')
  .transform((text, context) => {
    const pairs: Record<string, string> = {}
    for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
      const cut = line.indexOf(':')
      if (cut < 1) context.addIssue({ code: 'custom', message: 'must be lines of "Name: value"' })
      else pairs[line.slice(0, cut).trim()] = line.slice(cut + 1).trim()
    }
    return pairs
  })
