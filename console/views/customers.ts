import { html } from '../http/page.ts'

/** The form that finds a customer. */
export const customersView = html`
<section id="view-customers" data-view hidden>
<h1 tabindex="-1">Customers</h1>
<p data-slot="busy-acting" class="note" hidden>You are acting as <b data-slot="acting-name"></b>. End that
before you act as another customer.</p>
<label for="search">Search by name, e-mail address or id</label>
<input id="search" type="search" maxlength="100" autocomplete="off" spellcheck="false">
<p role="status" data-slot="found"></p>
<div class="overflow-auto" role="region" aria-label="Customers found" tabindex="0" data-slot="list">
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Action</th><th scope="col">E-mail address</th><th scope="col">Id</th></tr></thead>
<tbody id="customers"></tbody>
</table>
</div>
<p data-slot="nobody" hidden><button type="button" class="secondary" data-slot="clear">Show all customers</button></p>

<template id="customer-row">
<tr><th scope="row" data-slot="name"></th><td data-slot="action"></td><td data-slot="email"></td>
<td><code data-slot="id"></code></td></tr>
</template>
<template id="act-as"><button type="button" class="small">Act as…</button></template>
<template id="protected"><span class="badge" title="Operators cannot act as colleagues">Protected: works here</span></template>
</section>`
