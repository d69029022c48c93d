import { useRef, useState } from 'preact/hooks'
import type { CustomersAnswer } from '../../../web/answers.ts'
import { Button } from '../../../web/kit/button.tsx'
import { Field } from '../../../web/kit/field.tsx'
import { Person } from '../../../web/kit/person.tsx'
import { Link } from '../../../web/kit/router.tsx'
import { Table } from '../../../web/kit/table.tsx'
import { counted, Text, text, words } from '../../../web/kit/text.tsx'
import { ProblemMessage } from '../../../web/session/load.tsx'
import type { Session } from '../../../web/session/session.ts'
import { personPath } from './paths.ts'

const { find: labels } = words.personalData

interface PeopleFound extends CustomersAnswer {
  readonly asked: string
}

/** By the search of the console, and by the account id of a person whom it does not find any more. */
export function FindPerson({ session }: { session: Session }) {
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<PeopleFound>()
  const [error, setError] = useState<unknown>()
  const question = useRef<AbortController>()
  const root = useRef<HTMLFormElement>(null)

  const find = async () => {
    if (!root.current?.reportValidity()) return
    question.current?.abort()
    question.current = new AbortController()
    const { signal } = question.current
    const asked = typed.trim()
    setError(undefined)
    try {
      const query = new URLSearchParams({ q: asked })
      const answer = await session.ask<CustomersAnswer>(`/personal-data/customers?${query}`, {
        signal,
      })
      if (!signal.aborted) setFound({ ...answer, asked })
    } catch (problem) {
      if (signal.aborted) return
      setError(problem)
      // The account id leads there without the directory.
      setFound({ customers: [], more: false, asked })
    }
  }
  return (
    <search>
      <form class="card form" ref={root} onSubmit={(event) => event.preventDefault()}>
        <Field id="person" label={labels.search} help={labels.help}>
          {(input) => (
            <input
              {...input}
              {...{ type: 'search', autoComplete: 'off', spellcheck: false, dir: 'auto' }}
              required
              pattern=".*\S.*"
              maxLength={100}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <Button kind="primary" isDefault onPress={find}>
            {labels.go}
          </Button>
        </div>
      </form>
      <p role="status" class={found ? 'found' : 'unseen'}>
        {found && error === undefined && summary(found)}
      </p>
      {error !== undefined && <ProblemMessage error={error} again={find} />}
      {found && found.customers.length > 0 && (
        <Table
          label={labels.title}
          rows={found.customers}
          keyOf={({ id }) => id}
          columns={[
            {
              name: labels.name,
              cell: ({ id, name }) => (
                <Link to={personPath(id)}>
                  <Person id={id} name={name} />
                </Link>
              ),
            },
            { name: labels.email, cell: ({ email }) => <bdi>{email}</bdi> },
            { name: labels.id, cell: ({ id }) => <bdi class="id">{id}</bdi> },
          ]}
        />
      )}
      {found?.more && <p class="note">{labels.more}</p>}
      {found && !found.customers.some(({ id }) => id === found.asked) && (
        <p>
          <Link to={personPath(found.asked)}>
            <Text of={labels.byId} id={<bdi class="id">{found.asked}</bdi>} />
          </Link>
        </p>
      )}
    </search>
  )
}

function summary({ asked, customers }: PeopleFound): string {
  return customers.length === 0
    ? text(labels.none, { text: asked })
    : counted(labels.found, customers.length)
}
