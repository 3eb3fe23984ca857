import type { ComponentChildren } from 'preact'
import { Form, type FormProps } from '../components/form.tsx'
import { ownerPath } from '../paths.ts'
import type { OwnerView } from './readView.ts'

type PartProps = {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}

/** A part of a step, with its heading. */
export function Part({ id, title, children }: PartProps) {
  return (
    <section class="part" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  )
}

type OwnedFormProps = Omit<FormProps, 'view'> & { readonly view: OwnerView }

/** A form that needs the secret of the claim: it is open once the secret was entered in the first step. */
export function OwnedForm({ view, part, names, values, ...props }: OwnedFormProps) {
  const isRefused = view.part === part && view.fault !== undefined
  if (!view.isHeld && !isRefused)
    return (
      <p class="muted">
        Enter your secret in <a href="#claims">step 1</a> first.
      </p>
    )
  return (
    <Form
      view={view}
      part={part}
      names={view.isHeld ? names : [...names, 'secret']}
      values={{ ...view.carried, ...values }}
      {...props}
    />
  )
}

type AgainProps = {
  readonly view: OwnerView
  /** Section that it leads to. */
  readonly section: string
  /** Names of fields that the form has itself. */
  readonly own: readonly string[]
  readonly children: ComponentChildren
}

/** A form that shows the page again: with the secret by POST, so that it stands in no address. */
export function Again({ view: { host, isHeld, carried }, section, own, children }: AgainProps) {
  const path = ownerPath(host)
  return (
    <form
      class="form"
      method={isHeld ? 'post' : 'get'}
      action={`${isHeld ? `${path}/claims` : path}#${section}`}
    >
      {Object.entries(isHeld ? { ...carried, method: 'held' } : carried).map(
        ([name, value]) => !own.includes(name) && <input type="hidden" name={name} value={value} />,
      )}
      {children}
    </form>
  )
}
