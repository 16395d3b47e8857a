"""Check an Affray log without Affray: every seal and digest, and every face of the dice epochs that were opened.

Usage: python standalone_verify.py FILE. Follows sessions/FORMAT.md with Python's own library; exits with a sentence when
something is wrong. How many faces a die's chain had to have is for the rules of its plan, which are not here.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any


def digest(value: Any) -> str:
    return sha256(canonical(value)).hexdigest()


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def face(inputs: list[Any], die: int, link: int, sides: int, block: int = 0) -> int:
    number = int(digest([*inputs, die, link, block])[:16], 16)
    return number % sides + 1 if number < 2**64 - 2**64 % sides else face(inputs, die, link, sides, block + 1)


def slot_within(action: str, place: str, numbers: dict[str, int]) -> str:
    tokens = [token.split(".") for token in [*action.split(">")[1:], place]]
    for token, after in zip(tokens, [*tokens[1:], ["end"]], strict=True):
        if len(token) == (4 if len(after) == 1 else 3):  # a step (4) or a nested action (3) that names a person
            token[-2] = "+".join(str(numbers[who]) for who in token[-2].split("+"))
    *below, step = [".".join(token) for token in tokens]
    return f"{'>'.join(below)}|{step}"


def check(is_right: bool, problem: str) -> None:
    if not is_right:
        sys.exit(f"wrong: {problem}")


def verify(header: bytes, *lines: bytes) -> str:
    session, head, nonces = json.loads(header)["session"], sha256(header).hexdigest(), ""
    version, run, proven, chains = 0, 0, 0, {"open": "", "kept": ""}
    epochs: dict[str, int] = {"open": 1, "kept": 1}
    pending: dict[str, list[tuple[int, Any, list[Any]]]] = {"open": [], "kept": []}
    numbers: dict[str, int] = {}  # of combatants, by join
    runs: dict[str, tuple[int, bool]] = {}  # by the id of the root action or moment: its number, whether it is secret
    states = [(numbers, runs)]
    for line in lines:
        commit = json.loads(line)
        envelope, kept = commit["envelope"], {digest(part): part for part in commit["kept"]}
        check(canonical(commit) == line, f"the line behind version {version} is not canonical")
        check(digest(envelope) == commit["digest"], f"the digest of the commit behind version {version}")
        check((envelope["first"], envelope["previous"]) == (version + 1, head), f"what follows version {version}")
        check(envelope["seals"] == [digest(event) for event in commit["events"]], f"a seal behind version {version}")
        head, nonces = commit["digest"], digest([nonces, envelope["nonce"]]) if envelope["nonce"] else nonces
        for event in commit["events"]:
            version += 1
            part = kept.get(event.get("kept"), {})
            event = {**event, **part.get("event", {}), **part.get("fields", {})}
            kind, action = event["kind"], event.get("action", "")
            if kind == "open":
                check(version == 1, f"a second commitment at version {version}")
                chains = {"open": event["chain"], "kept": event["kept_chain"]}
            elif kind == "rewind":
                numbers, runs = states[event["to"]]
            elif kind == "join":
                numbers = {**numbers, event["id"]: len(numbers) + 1}
            elif ">" not in action and (kind == "declare" or (kind == "turn" and event["moment"] != "resume")):
                run += 1
                runs = {**runs, action: (run, event.get("secret", False))}
            elif kind == "roll" and event["source"] == "engine" and event["faces"] and not event["reused"]:
                number, is_secret = runs[action.partition(">")[0]]
                place = [kind, event["key"], event["by"], str(event["occurrence"])]
                slot = slot_within(action, ".".join(filter(None, place)), numbers)
                chain = "kept" if event["blind"] or is_secret else "open"
                pending[chain].append((version, event, [session, epochs[chain], nonces, number, slot]))
            elif kind == "reveal-dice":
                chain, secret = event["chain"], event["secret"]
                check(sha256(bytes.fromhex(secret)).hexdigest() == chains[chain], f"the secret at version {version}")
                check(event["epoch"] == epochs[chain], f"the epoch at version {version}")
                for at, roll, inputs in pending[chain]:
                    dice = [term["sides"] for term in roll["plan"]["terms"] for _ in range(term["count"])]
                    for die, (sides, links) in enumerate(zip(dice, roll["faces"], strict=True)):
                        drawn = [face([secret, *inputs], die, link, sides) for link in range(len(links))]
                        check(drawn == links, f"die {die + 1} of version {at} shows {links}, drawn was {drawn}")
                        proven += len(links)
                pending[chain], chains[chain], epochs[chain] = [], secret, epochs[chain] + 1
            states.append((numbers, runs))
    left = len(pending["open"] + pending["kept"])
    return f"{session}: {version} events, {proven} faces proven, {left} rolls not opened, head {head}"


if __name__ == "__main__":
    print(verify(*Path(sys.argv[1]).read_bytes().split(b"\n")[:-1]))
