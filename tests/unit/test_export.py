"""Oracle: the scenario itself, and what the mapping of each engine says of its protocol."""

import contextlib
import io
import json
import zipfile

import pytest

from colab import trl, verl
from colab.export.cluster import CATALOGUE, CONTROLS, LAB, MODELS, read
from colab.export.folder import archive, build, ledger_of
from colab.mapping import UnmappedError, adopt
from pycore.domain import DomainError
from pycore.passport import read_passport
from pycore.protocol import PRESETS, Protocol
from pycore.scenario import Scenario
from web.builder.carry import sources_json
from web.labs.export import cluster as zipped

DEFAULT = Scenario(LAB)


@pytest.fixture(scope="module")
def files():
    return json.loads(sources_json())


@pytest.fixture(scope="module")
def folders(files):
    return {engine: build(engine, DEFAULT, files) for engine in ("trl", "verl")}


def test_a_scenario_gives_protocol_and_sizes_and_comes_back_from_its_address():
    scenario = Scenario(LAB, {"preset": "dapo", "group": 16, "response_tokens": 1024}, seed=3)
    protocol, cluster = read(scenario)
    assert (cluster.group, cluster.responses, cluster.passes, cluster.seed) == (16, 512, 64, 3)
    assert (protocol.max_tokens, protocol.overlong_cache) == (1024, round(1024 / 5))
    assert read(Scenario.from_query(scenario.to_query(), catalogue=CATALOGUE, lab=LAB)) == (protocol, cluster)


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({"prompts": 3, "group": 3}, r"prompts \* group = 9: allowed is a multiple of cards \* micro = 8"),
        ({"group": 0}, "group = 0"),
        ({"model": "another"}, "model = 'another'"),
        ({"nonsense": 1}, "control = 'nonsense'"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(controls, message):
    with pytest.raises(DomainError, match=message):
        read(Scenario(LAB, controls))


def test_the_models_have_the_sizes_in_their_names():
    assert [round(model.parameters / 1e9, 1) for model in MODELS.values()] == [0.6, 1.7, 4.0]


@pytest.mark.parametrize("engine", ["trl", "verl"])
def test_the_folder_carries_protocol_scenario_passports_and_both_readmes(engine, folders):
    made = folders[engine]
    assert Protocol.from_json(made["protocol.json"]) == read(DEFAULT)[0]
    assert Scenario.from_json(made["scenario.json"], catalogue=CATALOGUE) == DEFAULT.complete(CATALOGUE)
    for kind in ("data", "verifier", "update"):
        assert read_passport(json.loads(made[f"passports/{kind}.json"])).kind == kind
    update = json.loads(made["passports/update.json"])
    assert (update["global_batch"], update["accumulation"], update["devices"]) == (256, 32, 2)
    for name in ("README.md", "README.ru.md"):
        assert "{{" not in made[name]
        assert "Qwen/Qwen3-0.6B" in made[name]
    assert "pycore/verify/numeric.py" in made


@pytest.mark.parametrize("engine", ["trl", "verl"])
def test_the_memory_in_the_readmes_is_the_ledgers(engine, folders):
    made = folders[engine]
    protocol, cluster = read(DEFAULT)
    states = ledger_of(protocol, cluster).gigabytes / (cluster.cards if engine == "verl" else 1)
    assert f"| {states:.1f} |" in made["README.md"]
    assert f"| {states:.1f} |".replace(".", ",") in made["README.ru.md"]


def test_a_preset_that_an_engine_computes_otherwise_is_refused_unless_adopted_and_then_listed(files):
    grpo = Scenario(LAB, {"preset": "grpo"})
    with pytest.raises(UnmappedError, match="ddof = 0"):
        build("verl", grpo, files)
    made = build("verl", grpo, files, adopted=True)
    assert "| `ddof` | `0` | `1` |" in made["README.md"]
    assert "| `ddof` | `0` | `1` |" in made["README.ru.md"]
    assert Protocol.from_json(made["protocol.json"]).ddof == 1
    with pytest.raises(UnmappedError, match="dynamic_sampling = True"):
        build("trl", Scenario(LAB, {"preset": "dapo"}), files, adopted=True)


@pytest.mark.parametrize(("engine", "file"), [("trl", "trl.yaml"), ("verl", "overrides.txt")])
def test_every_axis_of_the_mapping_stands_in_the_configuration(engine, file, folders):
    protocol, cluster = read(DEFAULT)
    sizes = {"group": cluster.group, "response_tokens": cluster.response_tokens}
    mapped = trl.arguments(protocol, **sizes) if engine == "trl" else verl.overrides(protocol, **sizes)
    written = {line.partition("=" if engine == "verl" else ":")[0] for line in folders[engine][file].split("\n")}
    assert set(mapped) <= written


def test_the_browsers_zip_is_the_folder_and_equal_every_time(files, folders):
    made = zipped("verl", "", json.dumps(files))
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        assert packed.testzip() is None
        assert packed.getinfo("rlvr-verl/run.sh").external_attr >> 16 == 0o755
        found = {name.removeprefix("rlvr-verl/"): packed.read(name).decode() for name in packed.namelist()}
    assert found == folders["verl"]
    assert made == archive(folders["verl"], "rlvr-verl")


def test_every_preset_is_mapped_or_refused_by_name():
    done: dict[str, set[str]] = {"trl": set(), "verl": set()}
    for engine, mapping, fixed in (("trl", trl.arguments, trl.fixed), ("verl", verl.overrides, verl.fixed)):
        for name in PRESETS:
            protocol, cluster = read(Scenario(LAB, {"preset": name}))
            with contextlib.suppress(UnmappedError):
                mapping(
                    adopt(protocol, fixed(protocol))[0], group=cluster.group, response_tokens=cluster.response_tokens
                )
                done[engine].add(name)
    assert {"grpo", "dr_grpo", "gspo", "cispo", "sapo", "luspo"} <= done["trl"] & done["verl"]
    assert {"dapo", "rloo", "opo", "reinforce_pp"} <= done["verl"]


def test_the_controls_default_to_what_both_engines_compute_exactly(folders):
    assert {control.name for control in CONTROLS} >= {"preset", "model", "cards"}
    assert folders["trl"]["protocol.json"] == folders["verl"]["protocol.json"]
