import type { VNode } from 'preact'
import { SUPERVISING_ROLES } from '../../../kernel/roles.ts'
import { words } from '../../../web/kit/text.tsx'
import type { Route } from '../../../web/session/page-routes.ts'
import type { Session } from '../../../web/session/session.ts'
import { AlarmsPage } from './alarms-page.tsx'

/** @param Paused the operators who may not start, since a customer objected */
export function alarmPages(
  Paused: (props: { session: Session }) => VNode | null,
): readonly Route[] {
  return [
    {
      path: '/alarms',
      roles: SUPERVISING_ROLES,
      page: (props) => (
        <AlarmsPage {...props}>
          <Paused session={props.session} />
        </AlarmsPage>
      ),
      link: words.alarms.page.link,
      shows: 'alarms',
    },
  ]
}
