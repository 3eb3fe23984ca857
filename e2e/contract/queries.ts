import { encodeCursor, type Operation, type QueryParameter } from '@touchstone402/shared'

/** Sample values by kind. */
export type Samples = { readonly endpoints: readonly string[]; readonly tokens: readonly string[] }

/** Returns valid query strings of an operation, the simplest first. */
export function goodQueries({ query }: Operation, samples: Samples): string[] {
  const plain = Object.entries(query).flatMap(([name, parameter]): [string, string][] =>
    parameter.required ? [[name, goodValues(parameter, samples)[0] ?? '']] : [],
  )
  const others = Object.entries(query).flatMap(([name, parameter]) =>
    goodValues(parameter, samples).map((value) =>
      write([...plain.filter(([key]) => key !== name), [name, value]]),
    ),
  )
  return [...new Set([write(plain), ...others, write([...plain, ['ignored', '1']])])]
}

/** Returns query strings that an operation must refuse. */
export function badQueries({ query }: Operation, samples: Samples): string[] {
  return Object.entries(query).flatMap(([name, parameter]) => {
    const others = Object.entries(query).flatMap(([key, other]): [string, string][] =>
      other.required && key !== name ? [[key, goodValues(other, samples)[0] ?? '']] : [],
    )
    const good = goodValues(parameter, samples)[0] ?? ''
    return [
      ...(parameter.required ? [write(others)] : []),
      ...badValues(parameter).map((value) => write([...others, [name, value]])),
      write([...others, [name, good], [name, good]]),
      write([...others, [`${name}[]`, good]]),
      write([...others, [`${name}[x]`, good]]),
    ]
  })
}

const write = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')

function goodValues(parameter: QueryParameter, { endpoints, tokens }: Samples): readonly string[] {
  switch (parameter.kind) {
    case 'url':
      return endpoints
    case 'integer':
      return [parameter.min, parameter.default, parameter.clamp ? parameter.max + 1 : parameter.max].map(
        String,
      )
    case 'flag':
      return ['1', '0']
    case 'address':
      return tokens
    case 'decimal':
      return ['1', '0.5', '1000000']
    case 'package':
      return ['left-pad', '@scope/name']
    case 'packages':
      return ['left-pad', '@scope/name,left-pad']
    case 'cursor':
      return [encodeCursor({ at: Date.parse('2026-01-31T12:00:00Z'), id: 'inc_1' })]
    case 'time':
      return ['2026-01-31', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123Z']
    case 'choice':
      return parameter.choices
  }
}

function badValues(parameter: QueryParameter): readonly string[] {
  switch (parameter.kind) {
    case 'url':
      return [
        '',
        'x',
        'ftp://a.example/x',
        'http://',
        'https://user:secret@',
        `https://a.example/${'a'.repeat(4000)}`,
      ]
    case 'integer':
      return ['', '0', '-1', '1e9', '0x10', ' 10 ', 'NaN', '1.5', '9'.repeat(16)].concat(
        parameter.clamp ? [] : [String(parameter.max + 1)],
      )
    case 'flag':
      return ['', '2', 'true']
    case 'address':
      return ['', '0x12', 'USDC', `0x${'g'.repeat(40)}`]
    case 'decimal':
      return ['', '-1', '1e3', '.5', '1.', '0x1']
    case 'package':
      return ['', 'a b', 'a,b', '../up', '@scope']
    case 'packages':
      return ['', 'a b', 'a,,b', '../up', '@scope']
    case 'cursor':
      return ['', 'x', '../up', 'AAAA', 'a'.repeat(2049)]
    case 'time':
      return ['', 'yesterday', '2026-02-30', '2026-01-31T12:00:00', '2026-01-31T12:00:00+02:00', '1790000000']
    case 'choice':
      return ['', '2h', parameter.choices.join(',')]
  }
}
