/** What a person or a program said, as it is; nothing where that is `undefined`. */
export function Said({ of }: { of: string | undefined }) {
  if (of === undefined) return null
  return (
    <q class="said">
      <bdi>{of}</bdi>
    </q>
  )
}
