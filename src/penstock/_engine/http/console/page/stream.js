// The stream of figures: server-sent events by fetch, since an EventSource cannot send a token.

import { Refused, ask, enterByToken } from "./session.js";

const AGAIN_MS = 1000;

/** Call `onSections(sections)` with what has changed, `onStatus(status)` as the stream comes and goes. */
export async function follow(onSections, onStatus) {
  for (;;) {
    try {
      const answer = await ask("/console/stream");
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      onStatus("live");
      if (await read(answer.body.getReader(), onSections)) {
        onStatus("ended");
        return;
      }
      onStatus("lost");
    } catch (error) {
      if (error instanceof Refused) {
        await enterByToken();
        continue;
      }
      onStatus("lost");
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Read events to the end; return whether the application said that it has ended. */
async function read(reader, onSections) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return false;
    rest += decoder.decode(value, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const lines = event.split("\n");
      if (lines[0] === "event: end") return true;
      if (lines[0] === "event: snapshot") onSections(JSON.parse(lines[1].slice("data: ".length)));
    }
  }
}
