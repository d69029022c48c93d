import type { View } from '../../../web/pages/table.ts'
import type { Suggested } from '../server/people.ts'

/** The options of a field for a person, which the script puts below the field. */
export const peoplePage: View<{ readonly people: readonly Suggested[] }> = (
  { people },
  { words },
) => ({
  title: words.web.suggested,
  body: (
    <datalist>
      {people.map(({ id, name }) => (
        <option key={id} value={id} label={name} />
      ))}
    </datalist>
  ),
})
