/** The text of a person or a program, as it is. Nothing for `undefined`. */
export function Said({ of }: { of: string | undefined }) {
  if (of === undefined) return null
  return (
    <q class="said">
      <bdi>{of}</bdi>
    </q>
  )
}
