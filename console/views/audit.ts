import { AUDIT_EVENTS, type AuditEventName } from '../audit/entry.ts'
import { html } from '../http/page.ts'

const NAMES: Readonly<Record<AuditEventName, string>> = {
  'impersonation.issued': 'Asked for',
  'impersonation.granted': 'Started',
  'impersonation.denied': 'Refused',
  'impersonation.replayed': 'Replayed',
  'impersonation.ended': 'Ended',
  'impersonation.used': 'Requests',
  'support.refused': 'Refused by the backend',
  'support.ended': 'Ended, by their word',
}

const kinds = AUDIT_EVENTS.map((event) => html`<option value="${event}">${NAMES[event]}</option>`)

/** The list of impersonations. */
export const auditView = html`
<section id="view-audit" data-view hidden>
<h1 tabindex="-1">Audit</h1>
<p>Who acted as whom, when, for how long, and why. <span class="badge" role="status" data-slot="live">Connecting…</span></p>
<form id="audit-filter" class="filter" novalidate>
<label for="audit-text">Text<input id="audit-text" type="search" maxlength="100" autocomplete="off" placeholder="ticket, reason, id"></label>
<label for="audit-event">What happened<select id="audit-event"><option value="">Everything but requests</option>${kinds}</select></label>
<label for="audit-actor">Operator<input id="audit-actor" type="search" maxlength="255" autocomplete="off" spellcheck="false" placeholder="id, such as olivia"></label>
<label for="audit-subject">Customer<input id="audit-subject" type="search" maxlength="255" autocomplete="off" spellcheck="false" placeholder="id, such as alice"></label>
</form>
<div class="overflow-auto" role="region" aria-label="Entries of the audit" tabindex="0">
<table class="wide">
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Operator</th><th scope="col">Customer</th><th scope="col">Why</th><th scope="col">How long</th><th scope="col">Entry</th></tr></thead>
<tbody id="audit-entries"></tbody>
</table>
</div>
<p role="status" data-slot="count"></p>
<p><button type="button" class="secondary outline small" data-slot="older" hidden>Show older ones</button></p>

<template id="audit-row">
<tr><td><time data-slot="time"></time></td><td><span class="badge" data-slot="event"></span></td><td data-slot="actor"></td><td data-slot="subject"></td>
<td class="why" data-slot="why"></td><td data-slot="how-long"></td>
<td class="entry"><details><summary>JSON</summary><pre tabindex="0" data-slot="json"></pre></details></td></tr>
</template>
</section>`
