import { useState } from 'preact/hooks'
import { Button } from '../../../web/kit/button.tsx'
import { nameOf } from '../../../web/kit/names.ts'
import { NoteDialog } from '../../../web/kit/note-dialog.tsx'
import { counted, words } from '../../../web/kit/text.tsx'
import type { Session } from '../../../web/session/session.ts'
import type { HeldAnswer, PersonAnswer } from '../server/answers.ts'
import { type Perform, personApi } from './paths.ts'

const { hold: labels } = words.personalData

/** Puts all impersonations of the person on hold, or releases them. */
export function HoldPart(props: { session: Session; person: PersonAnswer; perform: Perform }) {
  const { session, person, perform } = props
  const [asked, setAsked] = useState<'hold' | 'release'>()
  if (person.asCustomer.count === 0) return null
  const mayHold = person.holders.includes(session.me.role)
  const dialogs = {
    hold: { title: labels.put, about: labels.putAbout, done: labels.wasPut },
    release: { title: labels.release, about: labels.releaseAbout, done: labels.wasReleased },
  }
  return (
    <section>
      <h2>{labels.title}</h2>
      <p class="note">{labels.about}</p>
      {mayHold ? (
        <div class="actions">
          {person.free > 0 && <Button onPress={() => setAsked('hold')}>{labels.put}</Button>}
          {person.held > 0 && <Button onPress={() => setAsked('release')}>{labels.release}</Button>}
        </div>
      ) : (
        <p class="note">{labels.byOthers}</p>
      )}
      {asked && (
        <NoteDialog
          title={dialogs[asked].title}
          about={dialogs[asked].about}
          subject={nameOf(person)}
          isNeeded={asked === 'hold'}
          onClose={() => setAsked(undefined)}
          onConfirm={(note) =>
            perform<HeldAnswer>(
              `${personApi(person.id)}/${asked}`,
              note === '' ? {} : { note },
              ({ count }) => counted(dialogs[asked].done, count),
            )
          }
        />
      )}
    </section>
  )
}
