import type { ComponentChildren } from 'preact'
import { FORMS } from '../../http/paths.ts'
import { ownerPath } from '../paths.ts'

/** A form that was sent, or that the query fills in, and what came of it. */
export type SentForm = {
  /** Path of the form below that of the page, and id of its section. */
  readonly part: string
  readonly given: ReadonlyMap<string, string>
  readonly fault?: { readonly parameter: string; readonly message: string }
  readonly note?: string
  readonly copy?: string | undefined
}

type FormProps = {
  readonly view: SentForm & { readonly host: string }
  readonly part: string
  /** Values of fields before they are edited. */
  readonly values?: Readonly<Record<string, string>>
  /** Labels of the buttons by the `method` that each sends. */
  readonly buttons: Readonly<Record<string, string>>
  /** Another button. */
  readonly children?: ComponentChildren
}

/** A form of the owner page with the fields that the contract describes. The endpoint is not edited. */
export function Form({ view, part, values = {}, buttons, children }: FormProps) {
  const { given, fault } = view.part === part ? view : {}
  const described = Object.entries(FORMS[`/owners/{host}/${part}`]?.fields ?? {})
  const fields = described.filter(([name]) => name !== 'method' && name !== 'endpoint')
  return (
    <form class="form" action={`${ownerPath(view.host)}/${part}#${part}`} method="post">
      {values.endpoint && <input type="hidden" name="endpoint" value={values.endpoint} />}
      {fields.map(([name, { description, required = false }]) => (
        <Field
          id={`f-${part}-${name}`}
          name={name}
          label={description.replace(/\.$/, '')}
          isRequired={required}
          value={given?.get(name) || values[name]}
          fault={fault?.parameter === name ? fault.message : undefined}
        />
      ))}
      {fault !== undefined && fields.every(([name]) => name !== fault.parameter) && (
        <p class="fault" role="alert">
          {fault.message}
        </p>
      )}
      <p class="chips">
        {Object.entries(buttons).map(([method, label]) => (
          <button type="submit" name="method" value={method}>
            {label}
          </button>
        ))}
        {children}
      </p>
    </form>
  )
}

type FieldProps = {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly isRequired?: boolean
  readonly value?: string | undefined
  /** What is wrong with the value. */
  readonly fault?: string | undefined
}

/** A labelled field, with what is wrong with its value. What is pasted is never cut. */
export function Field({ id, name, label, isRequired = true, value = '', fault }: FieldProps) {
  const shared = {
    id,
    name,
    required: isRequired,
    spellcheck: false,
    autocomplete: 'off',
    ...(fault !== undefined && { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-fault` }),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {name === 'text' ? (
        <textarea {...shared} rows={8}>
          {value}
        </textarea>
      ) : (
        <input {...shared} autocapitalize="none" value={value} />
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}
