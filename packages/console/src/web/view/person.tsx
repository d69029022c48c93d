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
