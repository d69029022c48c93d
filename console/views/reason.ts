import { type Html, html } from '../http/page.ts'
import type { CustomerApplication } from '../pages.ts'

/** The form that asks for the reason. */
export function reasonView(application: CustomerApplication | undefined): Html {
  return html`
<section id="view-reason" data-view hidden>
<h1 tabindex="-1">Act as <span data-slot="name"></span></h1>
<p>Whatever you do is done as <b data-slot="email"></b>, and recorded with your name. They can see that
you did.</p>
<form id="reason-form" class="form" novalidate>
<label for="ticket">Ticket number</label>
<input id="ticket" maxlength="100" autocomplete="off" spellcheck="false" required placeholder="SUP-123" aria-describedby="ticket-problem">
<small id="ticket-problem" class="problem"></small>
<label for="reason">Reason</label>
<textarea id="reason" rows="2" maxlength="500" required aria-describedby="reason-problem reason-help"></textarea>
<small id="reason-problem" class="problem"></small>
<small id="reason-help">For the audit: what the customer asked for. The customer does not see it.</small>
<fieldset>
<legend>What you may do</legend>
<label><input type="checkbox" checked disabled> See the orders <code>orders:read</code></label>
<label><input type="checkbox" id="may-write" aria-describedby="may-write-help"> I must change orders <code>orders:write</code></label>
<small id="may-write-help">Only if the customer asked for a change.</small>
</fieldset>
<fieldset>
<legend>How long at most</legend>
<label><input type="radio" name="duration" value="120"> 2 minutes</label>
<label><input type="radio" name="duration" value="300"> 5 minutes</label>
<label><input type="radio" name="duration" value="600" checked> 10 minutes</label>
</fieldset>
<p class="actions">
<button type="submit" data-slot="submit">Start acting</button>
${application && openButton(application)}
<button type="button" class="secondary" data-slot="cancel">Cancel</button>
</p>
</form>
</section>`
}

function openButton({ name, url, clientId }: CustomerApplication): Html {
  return html`<button type="button" data-slot="open" data-url="${url}" data-client="${clientId}" data-name="${name}">Open ${name}</button>`
}
