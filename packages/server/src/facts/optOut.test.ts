import { processorMs } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { declinesProbes, isDisallowed, parseRobots } from './optOut.ts'

const file = (...lines: string[]) => parseRobots(lines.join('\n'))

describe('isDisallowed', () => {
  test('default', () => {
    const robots = file('User-agent: Touchstone', 'Disallow: /paid', 'Allow: /paid/open')
    expect(isDisallowed(robots, '/paid/a')).toBe(true)
    expect(isDisallowed(robots, '/paid/open/a')).toBe(false)
    expect(isDisallowed(robots, '/free')).toBe(false)
  })

  test('behavior: only groups that name the prober count', () => {
    expect(isDisallowed(file('User-agent: *', 'Disallow: /'), '/a')).toBe(false)
    const shared = file('User-agent: GPTBot', 'User-agent: touchstone # us', '', 'Disallow: /')
    expect(isDisallowed(shared, '/a')).toBe(true)
    const next = file('User-agent: touchstone', 'Disallow: /x', 'User-agent: *', 'Disallow: /')
    expect(isDisallowed(next, '/a')).toBe(false)
  })

  test('behavior: matches wildcards, ends, ties and empty rules', () => {
    const rules = (...lines: string[]) => file('user-agent: touchstone', ...lines)
    expect(isDisallowed(rules('Disallow: /*/paid$'), '/v1/paid')).toBe(true)
    expect(isDisallowed(rules('Disallow: /*/paid$'), '/v1/paid/x')).toBe(false)
    expect(isDisallowed(rules('Disallow: /*'), '/a')).toBe(true)
    expect(isDisallowed(rules('Disallow: /a$'), '/a')).toBe(true)
    expect(isDisallowed(rules('Disallow: /ab*b$'), '/ab')).toBe(false)
    expect(isDisallowed(rules('Disallow: /a', 'Allow: /a'), '/a')).toBe(false)
    expect(isDisallowed(rules('Disallow:'), '/a')).toBe(false)
  })

  test('behavior: parses any text quickly and without errors', () => {
    const text = fc.string({
      maxLength: 400,
      unit: fc.constantFrom('a', '*', '$', '/', ':', '\n', '\r', ' ', '#'),
    })
    fc.assert(
      fc.property(text, text, (rules, path) => {
        expect(typeof isDisallowed(file('User-agent: touchstone', `Disallow: ${rules}`), `/${path}`)).toBe(
          'boolean',
        )
      }),
    )
    const took = processorMs(() => {
      isDisallowed(file('User-agent: touchstone', `Disallow: ${'*a'.repeat(4000)}b`), `/${'a'.repeat(2000)}`)
      file('User-agent: touchstone', `Disallow: x${' '.repeat(250_000)}x`)
      file(`${' '.repeat(250_000)}x`, `${'\n'.repeat(250_000)}`)
    })
    expect(took).toBeLessThan(500)
  })

  test('behavior: a host with more rules than are kept declines everything', () => {
    const rules = (count: number) =>
      Array.from({ length: count }, (_, index) => `Disallow: /private/${index}`)
    expect(isDisallowed(file('User-agent: touchstone', ...rules(100)), '/quote')).toBe(false)
    expect(isDisallowed(file('User-agent: touchstone', ...rules(10_000)), '/quote')).toBe(true)
    expect(isDisallowed(file('User-agent: touchstone', `Disallow: /${'a'.repeat(9000)}`), '/quote')).toBe(
      true,
    )
    // Rules for others are not kept at all.
    expect(file('User-agent: *', ...rules(10_000))).toEqual([])
  })
})

describe('declinesProbes', () => {
  test('default', () => {
    expect(declinesProbes('{"probes":false}')).toBe(true)
    for (const text of ['', 'null', '[]', '{"probes":"false"}', '{"probes":0}', '{}', '{'])
      expect(declinesProbes(text)).toBe(false)
  })
})
