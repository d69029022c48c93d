import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { locale } from './text.tsx'
import { useSlow } from './use-slow.ts'

/** One page of the application: its heading gets the focus when the page is shown. */
export function Page(props: {
  title: string
  about?: ComponentChildren
  /** What stands above the heading: the way back. */
  above?: ComponentChildren
  wide?: boolean
  children?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = props.title
    heading.current?.focus()
  }, [props.title])
  return (
    <section class={props.wide ? 'page wide' : 'page'}>
      {props.above}
      <h1 ref={heading} tabIndex={-1}>
        {props.title}
      </h1>
      {props.about && <p class="about">{props.about}</p>}
      {props.children}
    </section>
  )
}

export interface ButtonProps {
  /** One primary button a page. @defaultValue 'plain' */
  kind?: 'danger' | 'plain' | 'primary' | 'quiet'
  /** While its promise is open, the button is busy, and pressing it does nothing. */
  onPress: () => unknown
  disabled?: boolean
  /** Whether Enter in a field of its form presses it. */
  isDefault?: true
  /** For screen readers, where the text does not say what it is about: *End acting as Alice Ng*. */
  label?: string
  children: ComponentChildren
}

export function Button({
  kind = 'plain',
  isDefault,
  onPress,
  disabled,
  label,
  children,
}: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      await onPress()
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type={isDefault ? 'submit' : 'button'}
      class={`button ${kind}`}
      disabled={disabled}
      aria-busy={isBusy}
      aria-disabled={isBusy}
      aria-label={label}
      onClick={press}
    >
      {children}
    </button>
  )
}

/** A label, an input, help below it, and what is wrong with it. */
export function Field(props: {
  id: string
  label: string
  help?: ComponentChildren
  problem?: string | undefined
  children: (input: {
    id: string
    'aria-describedby': string
    'aria-invalid': boolean
  }) => JSX.Element
}) {
  const { id, label, help, problem, children } = props
  return (
    <div class={problem ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-about`, 'aria-invalid': problem !== undefined })}
      <small id={`${id}-about`}>
        {problem && <span class="problem">{problem}</span>}
        {help}
      </small>
    </div>
  )
}

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers stand at the right. */
  readonly numeric?: boolean
}

/** Rows of 40 px; on phones, each row is a card. The first column names the row. */
export function Table<Row>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}) {
  const { label, columns, rows, keyOf } = props
  return (
    <table class="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, numeric }) => (
            <th key={name} scope="col" class={numeric ? 'numeric' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} id={`row-${keyOf(row)}`}>
            {columns.map(({ name, cell, numeric }, index) =>
              index === 0 ? (
                <th key={name} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={name} data-label={name} class={numeric ? 'numeric' : undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A word that no column has room for: it breaks, and others stay whole. */
const WIDE_WORD = /[^\s-]{25}/

/** Names up to this length stay on one line where there is room. */
const MAX_LENGTH_ON_ONE_LINE = 20

/** A person: the name, and on demand the id. */
export function Person({ id, name }: { id: string; name?: string | undefined }) {
  const shown = name ?? id
  return (
    <bdi
      class={`person${WIDE_WORD.test(shown) ? ' wide-word' : shown.length <= MAX_LENGTH_ON_ONE_LINE ? ' whole' : ''}`}
      title={name === undefined ? undefined : id}
    >
      {shown}
    </bdi>
  )
}

const local = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })
const short = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

/** A moment for a sentence or a label. @param at milliseconds since the epoch */
export function shortTime(at: number): string {
  return short.format(at)
}

/** A moment in the zone of the reader, named; UTC on hover. @param at milliseconds since the epoch */
export function Time({ at, long = false }: { at: number; long?: boolean }) {
  const date = new Date(at)
  const iso = date.toISOString()
  return (
    <time dateTime={iso} title={iso.replace('T', ' ').replace(/\.\d+Z/, ' UTC')}>
      {(long ? local : short).format(date)}
    </time>
  )
}

/** Gray lines, where something is slow: shorter ones would only flicker. */
export function Skeleton({ lines = 3, label }: { lines?: number; label: string }) {
  if (!useSlow(true)) return null
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}

/** A small word in a tone. */
export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'alarm' | 'good' | 'plain' | 'warning'
  children: ComponentChildren
}) {
  const isLong = typeof children === 'string' && children.length > MAX_LENGTH_ON_ONE_LINE - 2
  return <span class={`badge ${tone}${isLong ? ' long' : ''}`}>{children}</span>
}
