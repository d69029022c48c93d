import { Fragment } from 'preact'

/** Addresses up to this length stay on one line of a table. */
const MAX_LENGTH_ON_ONE_LINE = 32

/** An e-mail address: a longer one breaks after its dots and its `@`, and not elsewhere. */
export function Email({ of }: { of: string | undefined }) {
  if (of === undefined) return null
  if (of.length <= MAX_LENGTH_ON_ONE_LINE) return <bdi class="email whole">{of}</bdi>
  const parts = of.split(/(?<=[.@])/)
  return (
    <bdi class="email">
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  )
}
