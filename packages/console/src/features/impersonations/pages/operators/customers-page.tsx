import { useEffect } from 'preact/hooks'
import { Button } from '../../../../web/kit/button.tsx'
import { Field } from '../../../../web/kit/field.tsx'
import { focusSearch, useListKeys } from '../../../../web/kit/list-keys.ts'
import { Page } from '../../../../web/kit/page.tsx'
import { useShortcut } from '../../../../web/kit/shortcuts.tsx'
import { Skeleton } from '../../../../web/kit/skeleton.tsx'
import { counted, text, words } from '../../../../web/kit/text.tsx'
import { ProblemMessage } from '../../../../web/session/load.tsx'
import type { PageProps } from '../../../../web/session/page-routes.ts'
import { OverLine } from '../running/continue.tsx'
import { OwnPauses, usePauses } from '../running/pauses.tsx'
import { CustomerTable } from './customer-table.tsx'
import { RecentCustomers } from './recent-customers.tsx'
import { type Found, MAX_TEXT_LENGTH, useSearch } from './search.ts'

const SEARCH_ID = 'search'

/** Finds a customer. Nothing is listed without a search, but for those who were opened last. */
export function CustomersPage({ session }: PageProps) {
  const { operators } = words.impersonations
  const search = useSearch(session)
  useShortcut('/', operators.searchShortcut, () => focusSearch(SEARCH_ID))
  const { found, error, isLoading } = search
  const isSearched = (asked: string) => asked === '' || (!isLoading && found?.text === asked)
  useListKeys({
    searchId: SEARCH_ID,
    stops: '.results tbody th a, .results > button, .recents tbody th a',
    ...{ hasEnter: true, isSearched },
  })
  // The heading takes the focus when a page is shown: after that. Who comes back has searched already.
  useEffect(() => {
    if (search.text === '') focusSearch(SEARCH_ID)
  }, [])
  return (
    <Page title={operators.title}>
      <OwnPauses of={usePauses(session)} />
      <search>
        <Field id={SEARCH_ID} label={operators.search} help={operators.searchHelp}>
          {(props) => (
            <input
              {...props}
              type="search"
              dir="auto"
              autoComplete="off"
              spellcheck={false}
              maxLength={MAX_TEXT_LENGTH}
              value={search.text}
              onInput={(event) => search.type(event.currentTarget.value)}
              onKeyDown={({ key, ctrlKey, metaKey }) => {
                const isEnter = key === 'Enter' && !ctrlKey && !metaKey
                if (isEnter && !isSearched(search.text.trim())) search.now()
              }}
            />
          )}
        </Field>
      </search>
      <OverLine session={session} />
      <p role="status" class={found ? 'found' : 'unseen'}>
        {found ? summary(found) : isLoading ? operators.searching : ''}
      </p>
      {error !== undefined && <ProblemMessage error={error} again={search.now} />}
      {found && found.customers.length > 0 && (
        <div class="results" aria-busy={isLoading}>
          <CustomerTable label={summary(found)} customers={found.customers} text={found.text} />
          {found.more && <Button onPress={search.more}>{operators.more}</Button>}
        </div>
      )}
      {found?.customers.length === 0 && <p class="empty">{operators.foundNoneHelp}</p>}
      {!found && isLoading && <Skeleton label={operators.searching} />}
      {search.text.trim() === '' && <RecentCustomers session={session} />}
    </Page>
  )
}

function summary({ text: asked, customers, more }: Found): string {
  const { operators } = words.impersonations
  if (customers.length === 0) return text(operators.foundNone, { text: asked })
  return counted(more ? operators.foundMore : operators.found, customers.length, { text: asked })
}
