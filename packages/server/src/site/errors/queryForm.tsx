import type { Operation, QueryParameter } from '@touchstone402/shared'
import type { Refusal } from '../../ports/paywall.ts'
import { Field } from '../components/field.tsx'
import { readParameter } from '../readParameter.ts'
import { cleanText } from '../text.ts'

type QueryFormProps = {
  readonly operation: Pick<Operation, 'path' | 'query'>
  /** The raw query string that was refused. */
  readonly search: string
  readonly errors: NonNullable<Refusal['errors']>
}

/** The query of an operation as a form: what was given, what is wrong with it and what is expected. */
export function QueryForm({ operation: { path, query }, search, errors }: QueryFormProps) {
  return (
    <form class="form" action={path} method="get">
      {Object.entries(query).map(([name, parameter]) => (
        <Field
          name={name}
          label={
            <>
              <code>{name}</code>
              {parameter.required ? ', required' : ', optional'}
            </>
          }
          hint={describeParameter(parameter)}
          fault={describeFault(errors, name)}
          value={cleanText(readParameter(search, name) ?? '', 2048)}
        />
      ))}
      <button type="submit">Call {path}</button>
    </form>
  )
}

function describeFault(errors: QueryFormProps['errors'], name: string): string | undefined {
  const messages = errors.filter(({ parameter }) => parameter === name).map(({ message }) => message)
  return messages.length === 0 ? undefined : cleanText(messages.join('; '), 300)
}

function describeParameter(parameter: QueryParameter): string {
  const { description } = parameter
  switch (parameter.kind) {
    case 'url':
      return `${description} Example: ${parameter.example}`
    case 'integer':
      return `${description} A whole number from ${parameter.min} to ${parameter.max}; ${parameter.default} if left out.`
    case 'flag':
    case 'package':
    case 'packages':
    case 'cursor':
    case 'time':
      return description
    case 'address':
      return `${description} 0x and 40 hexadecimal digits.`
    case 'decimal':
      return `${description} A decimal number such as 1000 or 0.5.`
    case 'choice':
      return `${description} One of ${parameter.choices.join(', ')}; ${parameter.default} if left out.`
  }
}
