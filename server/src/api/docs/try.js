// Sends what is filled in on the page of the API, and shows the answer as it came.
'use strict';

for (const form of document.querySelectorAll('form.docs-try')) {
  form.querySelector('button').disabled = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).catch((error) => show(form, `It could not be sent: ${error.message}`, ''));
  });
}

async function send(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  let body;
  for (const field of form.querySelectorAll('[data-in]')) {
    const value = field.value;
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    if (value === '') continue;
    if (field.dataset.in === 'query') query.set(field.name, value);
    if (field.dataset.in === 'header') headers[field.name] = value;
    if (field.dataset.in === 'body') {
      headers['Content-Type'] = 'application/json';
      body = value;
    }
  }
  const token = document.getElementById('token').value.trim();
  if (token !== '') headers.Authorization = `Bearer ${token}`;
  const search = query.toString();
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const answer = await fetch(search === '' ? path : `${path}?${search}`, {
      method: form.dataset.method,
      headers,
      body,
      // A token is the whole answer to who calls.
      credentials: token === '' ? 'same-origin' : 'omit',
      redirect: 'manual',
    });
    show(form, `${answer.status} ${answer.statusText}`, await answer.text());
  } finally {
    button.disabled = false;
  }
}

function show(form, status, text) {
  form.querySelector('.docs-status').textContent = status;
  const answer = form.querySelector('.docs-answer');
  answer.textContent = pretty(text);
  answer.hidden = text === '';
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
