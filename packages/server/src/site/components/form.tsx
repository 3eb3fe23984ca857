import type { ComponentChildren } from 'preact'
import { FORMS } from '../../http/paths.ts'
import { ownerPath } from '../paths.ts'
import { Snippet } from './prose.tsx'

/** A form that was sent, or that the query fills in, and what came of it. */
export type SentForm = {
  /** The form, by the id of its section. */
  readonly part: string
  readonly given: ReadonlyMap<string, string>
  readonly fault?: { readonly parameter: string; readonly message: string }
  /** Success message, and the text to copy with it. */
  readonly note?: string
  readonly copy?: string | undefined
}

/** Labels of the fields; their hints come from the contract. */
const LABELS: Readonly<Record<string, string>> = {
  about: 'Endpoint or incident',
  'replies.about': 'Host, endpoint or incident',
  secret: 'Secret of your claim',
  signature: 'Signature by the old receiver',
  text: 'Text',
  'announcements.text': 'Text that was signed',
  'replies.text': 'Your reply',
  url: 'URL that receives messages',
}

/** Properties of a form. */
export type FormProps = {
  readonly view: SentForm & { readonly host: string }
  /** Its path below that of the page, and the id of its section. */
  readonly part: string
  /** The fields that are shown. */
  readonly names: readonly string[]
  /** Values of fields before they are edited, and of those that are not shown. */
  readonly values?: Readonly<Record<string, string>>
  /** Labels of the buttons, by the `method` that each sends. */
  readonly buttons: Readonly<Record<string, string>>
  /** Another button. */
  readonly children?: ComponentChildren
}

/** A form of the owner page, as the contract describes it: it shows the result or the errors, and keeps the full input. */
export function Form({ view, part, names, values = {}, buttons, children }: FormProps) {
  const { given, fault, note, copy } = view.part === part ? view : {}
  const described = FORMS[`/owners/{host}/${part}`]?.fields
  return (
    <form class="form" action={`${ownerPath(view.host)}/${part}#${part}`} method="post">
      {note !== undefined && (
        <div class="notice" role="status">
          {note}
          {copy !== undefined && <Snippet label="To copy" code={copy} />}
        </div>
      )}
      {Object.entries(values).map(
        ([name, value]) => !names.includes(name) && <input type="hidden" name={name} value={value} />,
      )}
      {names.map((name) => {
        const { description, required = false } = described?.[name] ?? {}
        return (
          <Field
            id={`f-${part}-${name}`}
            name={name}
            label={LABELS[`${part}.${name}`] ?? LABELS[name] ?? name}
            hint={description}
            fault={fault?.parameter === name ? fault.message : undefined}
            value={given?.get(name) || values[name]}
            required={required}
          />
        )
      })}
      {fault !== undefined && !names.includes(fault.parameter) && (
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
  /** A field named `text` has several lines. */
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  /** Error of the value, shown instead of the hint. */
  readonly fault?: string | undefined
  readonly value?: string | undefined
  readonly required?: boolean
}

/** A labelled field of a form. It cuts nothing that is pasted. */
export function Field({ id, name, label, hint, fault, value = '', required = false }: FieldProps) {
  const note = fault ?? hint
  const shared = {
    id,
    name,
    required,
    spellcheck: false,
    autocomplete: 'off',
    ...(note !== undefined && { 'aria-describedby': `${id}-note` }),
    ...(fault !== undefined && { 'aria-invalid': 'true' as const }),
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
      {note !== undefined && (
        <p
          class={fault === undefined ? 'small muted' : 'fault'}
          id={`${id}-note`}
          {...(fault !== undefined && { role: 'alert' })}
        >
          {note}
        </p>
      )}
    </div>
  )
}
