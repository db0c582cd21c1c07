// Checks one query with a running `clausewise serve` and prints what is wrong with it.
//
//   node check.mjs http://127.0.0.1:8000 DATABASE QUESTION SQL
//
// Needs node 18 or newer and nothing else. CLAUSEWISE_TOKEN is sent as the bearer token where set.
const [base, db_id, question, predicted_sql] = process.argv.slice(2);
const token = process.env.CLAUSEWISE_TOKEN;

const response = await fetch(`${base}/v1/check`, {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    ...(token && { Authorization: `Bearer ${token}` }),
  },
  body: JSON.stringify({ db_id, question, predicted_sql }),
});
const found = await response.json();
if (!response.ok) {
  console.error(`${found.status} ${found.title}: ${found.detail}`);
  process.exit(2);
}
console.log(`${found.verdict}, p(correct) ${found.p_correct.toFixed(2)}`);
for (const { clause, message, suggestion } of found.findings)
  console.log(`  ${clause.kind} \`${clause.text}\`: ${message}${suggestion ? `; ${suggestion}` : ""}`);
