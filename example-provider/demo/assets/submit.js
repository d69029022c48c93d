// A page with one form that needs no answer of a person.
document.forms[0]?.requestSubmit()
