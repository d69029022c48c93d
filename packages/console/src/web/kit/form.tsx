import { MAX_NOTE_LENGTH } from 'oidc-provider-impersonation-verify/format'
import { type ComponentChildren, h, type JSX } from 'preact'
import type { At } from './at.ts'

/** The name of a field, its value, and its error. */
export interface FieldOf {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly problem?: string | undefined
}

/** Finds the field of a form: with the value that came back, if the form was refused. */
export type FieldIn = (name: string, value?: string) => FieldOf

interface ActionProps {
  action: string
  /** If the page has the same form twice. */
  id?: string | undefined
  /** Leads into an application, in a tab of its own, and is good once. */
  opens?: true | undefined
  /** Values that nobody types. */
  fields?: Readonly<Record<string, string>> | undefined
}

/** A form that does something. It is sent to an action and comes back to this page. */
export function Form(
  props: ActionProps & {
    class?: string
    /** The id of an element in the form that the script fetches again when a field is changed. */
    foresees?: string
    children: (field: FieldIn) => ComponentChildren
  },
  { base, here, once, reader, refused }: At,
) {
  const { action, class: name, opens, foresees, fields = {}, children } = props
  const { id = formId(action, fields) } = props
  const own = refused?.form === id ? refused : undefined
  const field: FieldIn = (name, value = '') => ({
    id: `${id}-${name}`,
    name,
    value: own?.values[name] ?? value,
    problem: own?.field === name ? own.problem : undefined,
  })
  return (
    <form
      id={id}
      class={name}
      method="post"
      action={base + action}
      data-foresees={foresees}
      {...(opens && { target: '_blank', rel: 'noopener' })}
    >
      <Hidden of={{ from: here, form: id, reader, once: opens && once, ...fields }} />
      {own && own.field === undefined && (
        <p class="message refused" role="alert">
          {own.problem}
        </p>
      )}
      {children(field)}
    </form>
  )
}

/** Tells the forms of a page with one action apart. An id has no spaces. */
export function formId(action: string, fields: Readonly<Record<string, string>>): string {
  return [action, ...Object.values(fields).map(encodeURIComponent)].join('-')
}

/** Values that nobody types. */
export function Hidden({ of }: { of: Readonly<Record<string, string | undefined>> }) {
  return (
    <>
      {Object.entries(of).map(
        ([name, value]) =>
          value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </>
  )
}

interface FieldProps extends Omit<JSX.AllHTMLAttributes<HTMLElement>, 'as' | 'label'> {
  of: FieldOf
  label: string
  help?: ComponentChildren
}

/** A label, a control with these attributes, help below it, and what is wrong with it. */
function Field(props: FieldProps & { as: 'input' | 'select' | 'textarea' }) {
  const { as, of, label, help, ...more } = props
  const { problem, ...control } = of
  const about = { 'aria-describedby': `${of.id}-about`, 'aria-invalid': problem !== undefined }
  return (
    <div class={problem ? 'field wrong' : 'field'}>
      <label for={of.id}>{label}</label>
      {h(as, { ...control, ...more, ...about })}
      <small id={about['aria-describedby']}>
        {problem && <span class="problem">{problem}</span>}
        {help}
      </small>
    </div>
  )
}

/** A text of one line. `data-asks` is the parameter of the page that says the same. */
export function TextField(props: FieldProps) {
  return (
    <Field
      as="input"
      type="text"
      dir="auto"
      autoComplete="off"
      spellcheck={false}
      maxLength={100}
      {...props}
    />
  )
}

/** A field for a search. */
export function SearchField(props: FieldProps) {
  return <TextField type="search" data-key="/" {...props} />
}

/** A text of several lines, which is stored on one. */
export function NoteField(
  { label, ...props }: Omit<FieldProps, 'label'> & { label?: string | undefined },
  { words }: At,
) {
  const { note, noteOptional } = words.web
  return (
    <Field
      as="textarea"
      label={label ?? (props.required ? note : noteOptional)}
      rows={3}
      maxLength={MAX_NOTE_LENGTH}
      {...props}
    />
  )
}

/** Values, each with its words. */
export type Options = readonly (readonly [value: string, label: string])[]

/** One of a few, all of them in sight. A single one is sent without being shown. */
export function Choice(props: {
  of: FieldOf
  legend: string
  options: Options
  /** The heading above says the same. */
  isLegendUnseen?: true
  /** The parameter of the page that says the same. */
  asks?: string
}) {
  const { of, legend, options, isLegendUnseen, asks } = props
  if (options.length < 2) return <Hidden of={{ [of.name]: options[0]?.[0] }} />
  return (
    <fieldset class="choices">
      <legend class={isLegendUnseen && 'unseen'}>{legend}</legend>
      {options.map(([value, label]) => (
        <label class="choice" key={value}>
          <input
            type="radio"
            name={of.name}
            value={value}
            checked={value === of.value}
            required
            data-asks={asks}
          />
          <bdi>{label}</bdi>
        </label>
      ))}
    </fieldset>
  )
}

/** One of several, in a list that opens. */
export function SelectField({ options, ...props }: FieldProps & { options: Options }) {
  return (
    <Field as="select" {...props}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Field>
  )
}

type Tone = 'danger' | 'plain' | 'primary' | 'quiet'

interface ButtonProps extends JSX.ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Tone | undefined
  /** For screen readers, if the text does not say what it is about: *End acting as Alice Ng*. */
  label?: string | undefined
}

/** A button that sends its form. `data-key` is a key that presses it: `Control+Enter`. */
export function Button({ kind = 'plain', label, children, ...more }: ButtonProps) {
  return (
    <button type="submit" class={`button ${kind}`} aria-label={label} {...more}>
      {children}
    </button>
  )
}

/** A form of one button. */
export function ActionButton(props: ActionProps & ButtonProps) {
  const { action, fields, id, opens, ...button } = props
  return (
    <Form action={action} class="inline" id={id} opens={opens} fields={fields}>
      {() => <Button {...button} />}
    </Form>
  )
}

/** A button that shows a form below it: without a script, and without a dialog. */
export function Disclosure(props: {
  id: string
  label: string
  /** For screen readers, if the label does not say what it is about. */
  about?: string | undefined
  kind?: Tone | undefined
  open?: boolean
  children: ComponentChildren
}) {
  const { id, label, about, kind = 'plain', open, children } = props
  return (
    <details id={id} class="disclosure" open={open}>
      <summary class={`button ${kind}`} aria-label={about}>
        {label}
      </summary>
      {children}
    </details>
  )
}

/** A person, by the account id. The script suggests people by name. */
export function PersonField(
  { who, ...props }: FieldProps & { who: 'customer' | 'operator' },
  { base }: At,
) {
  const list = `${props.of.id}-people`
  return (
    <>
      <TextField {...props} list={list} data-suggest={`${base}/people?who=${who}`} />
      <datalist id={list} />
    </>
  )
}
