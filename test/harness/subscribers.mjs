import { request } from "node:http";

// Opens subscriptions and prints "open" once all of them are there: node subscribers.mjs <url> <key> <count>

const [, , url, key, count] = process.argv;
const body = JSON.stringify({ query: "subscription { changes { id } }" });
const headers = {
  Authorization: `Bearer ${key}`,
  Accept: "text/event-stream",
  "Content-Type": "application/json",
};

const subscribe = () =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/graphql`, { agent: false, method: "POST", headers });
    sent.once("error", reject);
    sent.once("response", (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`The answer is ${answer.statusCode}.`));
      answer.on("error", () => {});
      answer.once("data", resolve).resume();
    });
    sent.end(body);
  });

await Promise.all(Array.from({ length: Number(count) }, subscribe));
console.log("open");
setInterval(() => {}, 60_000);
