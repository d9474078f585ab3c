"""What the notebook is, how long it takes and where that was measured; the two switches."""

# %% [markdown] ru
# # Практикум: GRPO на языковой модели
#
# Блокнот проводит один сценарий через весь путь: проверка видеокарты, установка, проверяющая система, сухой прогон
# наград, замер до обучения, обучение LoRA, замер после, графики, паспорта, журнал для панели на сайте. Считает тот же код
# `pycore`, что и лаборатории; он лежит здесь же, в свёрнутых ячейках.
#
# Адрес сценария на сайте: {{scenario.address}}
#
# | что включено | что происходит | сколько это длится |
# |---|---|---|
# | `RUN_REAL_MODEL = False` (так по умолчанию) | крошечная случайная модель, процессор, без загрузок | минуты |
# | `RUN_REAL_MODEL = True`, `SMOKE_MODE = True` | настоящая модель, три обновления: всё ли работает | загрузка весов и несколько минут |
# | `RUN_REAL_MODEL = True`, `SMOKE_MODE = False` | настоящий запуск | не измерено: блокнот сам печатает, сколько заняли замер и обучение |
#
# Время и память на T4 мы не измеряли и потому не обещаем. Проверено на процессоре: каждую ячейку проходят крошечная модель
# и SmolLM2-135M (`model = "smollm2"`, `ON_PROCESSOR = True`), нашим циклом и TRL; 60 обновлений SmolLM2 нашим циклом, с
# замерами, заняли на одном ядре 26–27 минут.
#
# Веса модели лежат в половинной точности: у Qwen3-0.6B это 1,2 ГБ. Загрузку в 4 битах, которая для LoRA возможна, блокнот
# не делает: моделям такого размера она не нужна.
#
# Модели меньше полутора миллиардов параметров редко начинают *рассуждать* от RLVR. Ровное начало кривой не поломка, а
# рост награды ещё не рассуждение: смотрите на точность жадного ответа рядом с точностью случайных.

# %% [markdown] en
# # Practicum: GRPO on a language model
#
# The notebook takes one scenario all the way: checking the card, installing, the verifier, a dry run of the rewards,
# a measurement before, LoRA training, a measurement after, plots, passports, a journal for the dashboard on the site. It
# computes with the same `pycore` as the labs; the code is right here, in folded cells.
#
# The scenario's address on the site: {{scenario.address}}
#
# | what is on | what happens | how long it takes |
# |---|---|---|
# | `RUN_REAL_MODEL = False` (the default) | a tiny random model on the processor, no downloads | minutes |
# | `RUN_REAL_MODEL = True`, `SMOKE_MODE = True` | the real model, three updates: does everything work | downloading the weights and a few minutes |
# | `RUN_REAL_MODEL = True`, `SMOKE_MODE = False` | the real run | not measured: the notebook prints how long measuring and training took |
#
# We have not measured time or memory on a T4 and promise neither. What was tried, on a processor: the tiny model and
# SmolLM2-135M (`model = "smollm2"`, `ON_PROCESSOR = True`) run through every cell, by our loop and by TRL; 60 updates of
# SmolLM2 by our loop, with their measurements, took 26 to 27 minutes on one core.
#
# The weights lie in half precision: 1.2 GB for Qwen3-0.6B. Loading them in 4 bits is an option with LoRA that this notebook
# leaves out: models of this size do not need it.
#
# Models under one and a half billion parameters rarely begin to *reason* from RLVR. A flat start of the curve is not a
# failure, and a rising reward is not yet reasoning: look at greedy accuracy beside that of sampled answers.

# %%
# @title RUN_REAL_MODEL, SMOKE_MODE, KEEP_ON_DRIVE, ON_PROCESSOR
RUN_REAL_MODEL = False  # @param {type:"boolean"}
SMOKE_MODE = True  # @param {type:"boolean"}
KEEP_ON_DRIVE = False  # @param {type:"boolean"}
ON_PROCESSOR = False  # @param {type:"boolean"}

# %% [code] ru
SAY = {
    "python": "Python {}.",
    "memory": "Память: {:.1f} ГиБ. Свободно на диске: {:.1f} ГиБ.",
    "no_card": "Видеокарты нет: настоящую модель здесь не обучить. В Colab: «Среда выполнения → Сменить среду → T4 GPU».",
    "slow": "Видеокарты нет, настоящую модель обучит процессор. Это посильно SmolLM2-135M, остальным — нет.",
    "without": "Видеокарты нет, и она не нужна: крошечная модель считается на процессоре.",
    "card": "Видеокарта {}: {:.1f} ГиБ, вычислительная способность {}. Замороженные веса будут в {}.",
    "small_card": "Памяти видеокарты меньше 6 ГиБ: этого не хватит. Выберите другую карту или RUN_REAL_MODEL = False.",
    "small_disk": "На диске меньше 6 ГиБ: весам модели не хватит места.",
    "library": "{}: стоит {}, нужна {}.",
    "ready": "Все библиотеки стоят, ставить нечего.",
    "installing": "Ставлю: {}. torch {} и numpy {} остаются прежними.",
    "restart": "Обновились библиотеки, которые уже загружены. Перезапустите среду и выполните всё ещё раз: веса пока не скачаны.",
    "carried": "pycore, SHA-256 всех файлов вместе: {}",
    "plan": "Модель {model}, обновлений {updates}, вопросов в обновлении {batch}, ответов на вопрос {group}.",
    "left": "Из сценария не взято (относится к маленькой модели): {}.",
    "nearest": "Протокол ближе всего к {}: {}",
    "small": "Уровень А, маленькая модель на процессоре, обновлений {}: точность на новых примерах {:.2f} → {:.2f}, с четырёх попыток {:.2f} → {:.2f}.",
    "suite": "{}: {} случаев, оплачено неверных {}, отвергнуто верных {}.",
    "groups": "Групп с сигналом {} из {}; верных ответов {:.0%}, ответов в рамке {:.0%}.",
    "no_signal": "Ни одна группа не различает ответы: обучать не на чем. Возьмите вопросы полегче, другую формулировку или больше ответов.",
    "resumes": "Папка запуска: {}. После обрыва выполните все ячейки ещё раз: запуск продолжится с последнего сохранения.",
    "refused": "TRL не может вычислить этот протокол: {}. Обучает наш цикл.",
    "parity": "{:>28}  {:.9f}",
    "parity_rows": "наш цикл|TRL|NumPy по формуле|наибольшая разница|разница градиентов|за пределами клипа",
    "other_protocol": "Сверка идёт на GRPO со средним по токенам: формула в NumPy написана для него.",
    "paired": "{}: {:.3f} → {:.3f}, разность с 95-процентным интервалом по вопросам [{:+.3f}, {:+.3f}], вопросов {}.",
    "of_accuracy": "случайные ответы",
    "of_greedy": "жадный ответ",
    "empty": "Пустых групп: {:.0%} в начале, {:.0%} в конце. Длина ответа: {:.1f} → {:.1f} токенов.",
    "no_rollout": "Паспорта отдельного ответа нет: номера токенов и логарифмы их вероятностей TRL оставляет себе.",
    "no_compare": "Сравнение не выбрано (поле compare).",
    "compared": "{}: точность {:.3f} → {:.3f}, в рамке {:.3f} → {:.3f}, пустых групп в конце {:.0%}.",
    "complete": "Паспорта полны.",
    "missing": "В паспорте «{}» не хватает: {}.",
    "saved": "Записано: {}. Этот файл открывает панель на сайте.",
    "titles": "награда|верно (толстая) и в рамке (тонкая)|доля групп с сигналом|длина ответа, токены|энтропия, нат|потери",
    "step": "обновление",
    "took": "Это заняло {:.0f} с.",
}

# %% [code] en
SAY = {
    "python": "Python {}.",
    "memory": "Memory: {:.1f} GiB. Free on disk: {:.1f} GiB.",
    "no_card": "There is no card: the real model cannot be trained here. In Colab: Runtime → Change runtime type → T4 GPU.",
    "slow": "There is no card: the processor trains the real model. That is within reach of SmolLM2-135M and of no other.",
    "without": "There is no card, and none is needed: the tiny model runs on the processor.",
    "card": "Card {}: {:.1f} GiB, compute capability {}. The frozen weights will be {}.",
    "small_card": "The card has less than 6 GiB of memory: not enough. Choose another card or RUN_REAL_MODEL = False.",
    "small_disk": "Less than 6 GiB free on disk: not enough for the model's weights.",
    "library": "{}: {} is installed, {} is needed.",
    "ready": "All libraries are there, nothing to install.",
    "installing": "Installing {}. torch {} and numpy {} stay as they are.",
    "restart": "Libraries that are already loaded have changed. Restart the runtime and run everything again: no weights were fetched yet.",
    "carried": "pycore, SHA-256 of all files together: {}",
    "plan": "Model {model}, updates {updates}, questions an update {batch}, answers a question {group}.",
    "left": "Not taken from the scenario (it belongs to the small model): {}.",
    "nearest": "The protocol is closest to {}: {}",
    "small": "Level A, the small model on the processor, {} updates: held-out accuracy {:.2f} → {:.2f}, in four attempts {:.2f} → {:.2f}.",
    "suite": "{}: {} cases, wrong ones paid {}, right ones refused {}.",
    "groups": "Groups with a signal {} of {}; right answers {:.0%}, boxed answers {:.0%}.",
    "no_signal": "No group tells its answers apart: there is nothing to learn from. Take easier questions, another wording or more answers.",
    "resumes": "Folder of the run: {}. After a disconnect run all cells again: the run goes on from its last checkpoint.",
    "refused": "TRL cannot compute this protocol: {}. Our loop trains.",
    "parity": "{:>28}  {:.9f}",
    "parity_rows": "our loop|TRL|NumPy by the formula|largest difference|difference of gradients|beyond the clip",
    "other_protocol": "The comparison uses GRPO with the mean over tokens: the formula in NumPy is written for that.",
    "paired": "{}: {:.3f} → {:.3f}, difference with its 95 % interval over questions [{:+.3f}, {:+.3f}], {} questions.",
    "of_accuracy": "sampled answers",
    "of_greedy": "greedy answer",
    "empty": "Empty groups: {:.0%} at first, {:.0%} at last. Length of an answer: {:.1f} → {:.1f} tokens.",
    "no_rollout": "There is no passport of one answer: TRL keeps token numbers and their log-probs to itself.",
    "no_compare": "No comparison was chosen (field compare).",
    "compared": "{}: accuracy {:.3f} → {:.3f}, boxed {:.3f} → {:.3f}, empty groups at last {:.0%}.",
    "complete": "The passports are complete.",
    "missing": "The passport of the {} lacks: {}.",
    "saved": "Written: {}. The dashboard on the site opens this file.",
    "titles": "reward|right (thick) and boxed (thin)|share of groups with a signal|length of an answer, tokens|entropy, nats|loss",
    "step": "update",
    "took": "This took {:.0f} s.",
}
