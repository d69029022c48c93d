import { type At, text } from '../../../web/kit/at.ts'
import { NoteAction } from '../../../web/kit/note-action.tsx'
import { actingText } from '../../../web/kit/people.tsx'
import type { PermitAnswer } from '../server/api/answers.ts'
import { permitSlots } from './in-words.ts'

type Deed = 'grant' | 'refuse' | 'revoke' | 'withdraw'

/** What the reader may do with a permit, in the order of the buttons. */
function choicesOf({ may, isMine, state }: PermitAnswer): readonly Deed[] {
  const choices: Deed[] = may.includes('granted') ? ['grant', 'refuse'] : []
  if (!may.includes('revoked')) return choices
  if (state === 'granted') choices.push('revoke')
  else if (isMine) choices.push('withdraw')
  return choices
}

/** The decisions that the reader may make, each with a note. */
export function DecideButtons({ permit }: { permit: PermitAnswer }, at: At) {
  const { choices } = at.words.permits
  const acting = actingText(at, permit)
  return (
    <>
      {choicesOf(permit).map((what) => {
        const { act, label, title, about } = choices[what]
        return (
          <NoteAction
            key={what}
            action={`/permits/${permit.id}/${what === 'withdraw' ? 'revoke' : what}`}
            label={act}
            name={text(at, label, { acting })}
            {...(what === 'grant' && { kind: 'primary' })}
            title={title}
            about={text(at, about, permitSlots(at, permit))}
          />
        )
      })}
    </>
  )
}
